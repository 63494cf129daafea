'use strict';

// Runs a random program on the real loop: its bodies, step by step, and what goes along with the
// code of each. What the steps do is in task-steps.js, loop-steps.js and signal-steps.js; what they
// should do is the model's matter.
//
// The context of a piece of code: `state` is its scheduling state by the contract, and `signal` the
// signal of the task that it belongs to; `leaks` says that the state of a task may be seen again in
// what a callback of the loop leads to (a known limit), and `activity` is then the part of that
// callback which is safe. What is thrown in `throwing` is an uncaught exception.

const { LoopSteps } = require('./loop-steps.js');
const { SignalSteps } = require('./signal-steps.js');
const { NO_STATE } = require('./states.js');
const { TaskSteps } = require('./task-steps.js');

class Program {
  #model;
  #signals;
  #groups;

  constructor({ api, model, io }) {
    this.#model = model;
    const runBody = (step, context, mayThrow) => this.#runBody(step, context, mayThrow);
    const post = (options) => tasks.postTask({ ...options, result: 'value', body: [] }, {});
    this.#signals = new SignalSteps({ api, model, post });
    const tasks = new TaskSteps({ api, model, runBody, signals: this.#signals });
    const loop = new LoopSteps({ io, model, post, runBody });
    this.#groups = [tasks, loop, this.#signals];
  }

  // Runs a whole program inside the activity under way. Returns a promise if it goes on after that.
  main(program, state = NO_STATE) {
    for (const each of program.controllers) this.#signals.controller(each);
    return this.#body(program, { state, leaks: false, activity: this.#model.current });
  }

  // Runs the body of a callback, which may throw: what it throws is an uncaught exception then.
  #runBody(step, context, mayThrow = false) {
    const throwing = mayThrow ? this.#model.current : undefined;
    return this.#body(step, { ...context, throwing });
  }

  // Returns a promise if the body goes on after this activity.
  #body({ body, isAsync }, context) {
    return isAsync ? this.#await(body, context) : this.#chain(body, context, 0);
  }

  #chain(steps, context, begin) {
    for (let index = begin; index < steps.length; index++) {
      const pause = this.#step(steps[index], context);
      if (pause === undefined) continue;
      const goOn = (how) => (value) => {
        pause.resume(how, value);
        return this.#model.inside(() => this.#chain(steps, context, index + 1));
      };
      return pause.promise.then(goOn('fulfilled'), goOn('rejected'));
    }
    return undefined;
  }

  async #await(steps, context) {
    let hasResumed = false;
    try {
      for (const step of steps) {
        const pause = this.#step(step, context);
        if (pause === undefined) continue;
        if (hasResumed) this.#model.leave();
        hasResumed = false;
        let how = 'fulfilled';
        let value;
        try {
          value = await pause.promise;
        } catch (reason) {
          how = 'rejected';
          value = reason;
        }
        pause.resume(how, value);
        hasResumed = true;
      }
    } finally {
      if (hasResumed) this.#model.leave();
    }
  }

  // Returns what the body has to wait for, if anything: a promise, and a function that takes what
  // has become of it.
  #step(step, context) {
    if (step.name === 'throw') return this.#throw(context);
    this.#model.trace.push(' ', step);
    const group = this.#groups.find((each) => step.name in each);
    return group[step.name](step, context);
  }

  // An exception is for the callback itself; in what follows it would be a rejection.
  #throw({ throwing }) {
    if (throwing === undefined || throwing !== this.#model.current) return;
    const error = new Error('thrown by the program');
    this.#model.throws(error);
    throw error;
  }
}

module.exports = { Program };
