'use strict';

// One request on its way: it waits in its line and, as a task, in the scheduler; then it runs, is
// refused, or its client leaves. The task lasts until the response has finished or closed.

const { AsyncResource } = require('node:async_hooks');

const api = require('../../../index.js');
const { followResponse } = require('../task-controller.js');
const { continueIfAsked } = require('./answer.js');
const { Place } = require('./line.js');

const { TaskController } = api;

const postRequest = api[Symbol.for('uv-scheduler.postRequest')];

class Visit extends Place {
  priority;
  request;
  response;
  #run;
  #admission;
  #controller;
  #resolve;
  #reject;
  // Settles the task that runs.
  #end;
  #isOver = false;

  // Resolves with whether `run` was called, once what it returns has settled.
  constructor(admission, priority, request, response, run, resolve, reject) {
    super();
    this.#admission = admission;
    this.priority = priority;
    this.request = request;
    this.response = response;
    this.#run = run;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  // Posts the task. The place is in its line.
  wait() {
    this.#controller = new TaskController({ __proto__: null, priority: this.priority });
    followResponse(this.response, this.#controller, () => this.#close());
    if (this.#isOver) return;
    const task = postRequest(() => this.#turn(), this.#controller.signal);
    task.then(undefined, () => this.#giveUp());
  }

  // The response has finished or closed. Somebody else may have answered while it waited.
  #close() {
    this.#isOver = true;
    if (this.line === undefined) {
      this.#end?.();
      return;
    }
    this.#admission.leave(this);
    this.#controller.abort();
    this.#resolve(false);
  }

  // The scheduler has refused the task, or given it up: drain() does.
  #giveUp() {
    if (this.line !== undefined) this.#admission.refuseAtDrain(this);
  }

  #turn() {
    const reason = this.#admission.start(this);
    if (reason !== undefined) {
      this.refuse(reason);
      return undefined;
    }
    const ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    bind(this.request, this.response);
    try {
      continueIfAsked(this.request, this.response);
      const result = this.#run();
      if (typeof result?.then === 'function') {
        Promise.resolve(result).then(() => this.#resolve(true), this.#reject);
      } else {
        this.#resolve(true);
      }
    } catch (error) {
      this.#reject(error);
    }
    this.#run = undefined;
    return ended;
  }

  // It is out of its line.
  refuse(reason) {
    this.#controller?.abort();
    this.#isOver = true;
    try {
      const result = this.#admission.answer(this.request, this.response, reason);
      if (typeof result?.then === 'function') {
        Promise.resolve(result).then(() => this.#resolve(false), this.#reject);
      } else {
        this.#resolve(false);
      }
    } catch (error) {
      this.#reject(error);
    }
  }
}

// Lets the listeners of the request and the response run in the context of the running task. Those
// of body parsers would run in that of the connection.
function bind(...emitters) {
  const context = new AsyncResource('AdmittedRequest');
  for (const emitter of emitters) {
    const { emit } = emitter;
    emitter.emit = function (...args) {
      return context.runInAsyncScope(emit, this, ...args);
    };
  }
}

module.exports = { Visit };
