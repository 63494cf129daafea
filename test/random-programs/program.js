'use strict';

// Runs a random program on the real loop: its bodies, step by step, each piece of code with its
// scheduling state by the contract. The steps are in task-steps.js and loop-steps.js; the model has
// the rules.
//
// The context of a piece of code: `state` is its scheduling state, and `leaks` says that the state
// of a task may be seen again in what a callback of the loop leads to, which is a known limit.

const { LoopSteps } = require('./loop-steps.js');
const { NO_STATE } = require('./states.js');
const { TaskSteps } = require('./task-steps.js');

// Code that was left behind waits for this: it does not go on in a later program.
const NEVER = new Promise(() => {});

class Program {
  #model;
  #groups;

  constructor({ api, model, io, signals }) {
    this.#model = model;
    const runBody = (step, context) => void this.#run(step.body, context, {});
    this.#groups = [
      new TaskSteps({ api, model, runBody, signals }), new LoopSteps({ io, model, runBody }),
    ];
  }

  // Runs a whole program inside the activity under way. Returns a promise, and what is known of the
  // body: whether it is over, and the entry that it waits for, if it waits for one.
  main({ body: steps }, state = NO_STATE) {
    const body = { isOver: false, waitsFor: undefined };
    return { promise: this.#run(steps, { state, leaks: false }, body), body };
  }

  async #run(steps, context, body) {
    let hasResumed = false;
    try {
      for (const step of steps) {
        const pause = this.#step(step, context);
        if (pause === undefined) continue;
        if (hasResumed) this.#model.leave();
        body.waitsFor = pause.entry;
        let end;
        try {
          end = ['fulfilled', await pause.promise];
        } catch (reason) {
          end = ['rejected', reason];
        }
        pause.resume(...end);
        hasResumed = true;
        if (this.#model.isOver) await NEVER;
        body.waitsFor = undefined;
      }
    } finally {
      body.isOver = true;
      if (hasResumed) this.#model.leave();
    }
  }

  // Returns what the body has to wait for, if anything: a promise, a function that takes what has
  // become of it, and its entry if it may be left.
  #step(step, context) {
    this.#model.trace.push(' ', step);
    return this.#groups.find((each) => step.name in each)[step.name](step, context);
  }
}

module.exports = { Program };
