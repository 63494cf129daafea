'use strict';

// Runs a random program on the real loop: its bodies, step by step, and what goes along with the
// code of each. The steps are in task-steps.js, idle-steps.js, loop-steps.js, shared-steps.js and
// signal-steps.js; the model has the rules.
//
// The context of a piece of code: `state` is its scheduling state by the contract, and `signal` the
// signal of the task that it belongs to; `leaks` says that the state of a task may be seen again in
// what a callback of the loop leads to (a known limit), `leaksOwner` that the task may count as the
// one that asks there, and `activity` is then the part of that callback which is safe. An error in
// `throwing` is an uncaught exception.

const { IdleSteps } = require('./idle-steps.js');
const { LoopSteps } = require('./loop-steps.js');
const { SharedSteps } = require('./shared-steps.js');
const { SignalSteps } = require('./signal-steps.js');
const { NO_STATE } = require('./states.js');
const { TaskSteps } = require('./task-steps.js');

// Code that was left behind waits for this: it does not go on in a later program.
const NEVER = new Promise(() => {});

class Program {
  #model;
  #signals;
  #shared;
  #groups;
  // By the promise that #body() has returned: whether the body is over, and the entry that it waits
  // for, if it waits for one.
  #bodies = new WeakMap();

  constructor({ api, model, io }) {
    this.#model = model;
    const runBody = (step, context, mayThrow) => this.#runBody(step, context, mayThrow);
    const post = (options) => tasks.postTask({ ...options, result: 'value', body: [] }, {});
    this.#signals = new SignalSteps({ api, model, post });
    const bodyOf = (promise) => this.#bodies.get(promise);
    const tasks = new TaskSteps({ api, model, runBody, bodyOf, signals: this.#signals });
    const loop = new LoopSteps({ io, model, post, runBody });
    const idle = new IdleSteps({ api, model, runBody, signals: this.#signals });
    this.#shared = new SharedSteps({ api, model, tasks, signals: this.#signals });
    this.#groups = [tasks, idle, loop, this.#shared, this.#signals];
  }

  // Runs a whole program inside the activity under way. If it goes on after that, returns a promise
  // and what is known of the body.
  main(program, state = NO_STATE) {
    for (const each of program.controllers) this.#signals.controller(each);
    const context = { state, leaks: false, activity: this.#model.current };
    const promise = this.#body(program, context);
    return { promise, body: this.#bodies.get(promise) };
  }

  // Runs the body of a callback, which may throw: what it throws is an uncaught exception then.
  #runBody(step, context, mayThrow = false) {
    const throwing = mayThrow ? this.#model.current : undefined;
    return this.#body(step, { ...context, throwing });
  }

  // Returns a promise if the body goes on after this activity.
  #body({ body: given, isAsync }, context) {
    const steps = given.flatMap(inParts);
    const body = { isOver: false, waitsFor: undefined };
    const run = isAsync ? this.#await(steps, context, body) : this.#chain(steps, context, body, 0);
    if (run !== undefined) this.#bodies.set(run, body);
    return run;
  }

  #chain(steps, context, body, begin) {
    for (let index = begin; index < steps.length; index++) {
      const pause = this.#step(steps[index], context);
      if (pause === undefined) continue;
      body.waitsFor = pause.entry;
      const goOn = (how) => (value) => {
        pause.resume(how, value);
        return this.#model.inside(() => {
          if (this.#model.isOver) return NEVER;
          body.waitsFor = undefined;
          return this.#chain(steps, context, body, index + 1);
        });
      };
      return pause.promise.then(goOn('fulfilled'), goOn('rejected'));
    }
    body.isOver = true;
    return undefined;
  }

  async #await(steps, context, body) {
    let hasResumed = false;
    try {
      for (const step of steps) {
        const pause = this.#step(step, context);
        if (pause === undefined) continue;
        if (hasResumed) this.#model.leave();
        hasResumed = false;
        body.waitsFor = pause.entry;
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
    if (step.name === 'throw') return this.#throw(context);
    this.#model.trace.push(' ', step);
    const group = this.#groups.find((each) => step.name in each);
    const pause = group[step.name](step, context);
    this.#shared.check();
    return pause;
  }

  // An exception is for the callback itself; in what follows it would be a rejection.
  #throw({ throwing }) {
    if (throwing === undefined || throwing !== this.#model.current) return;
    const error = new Error('thrown by the program');
    this.#model.throws(error);
    throw error;
  }
}

// A step between whose parts the body waits for a reaction.
function inParts(step) {
  if (step.name !== 'pieces') return step;
  return [{ ...step, name: 'firstPiece' }, { ...step, name: 'secondPiece' }];
}

module.exports = { Program };
