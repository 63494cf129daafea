'use strict';

// One request on its way: it waits in its line, the oldest ones as tasks of the scheduler, until it
// runs, is refused, or its client leaves. The task lasts until the response has finished or closed.

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
  // That of the arrival: others post it, and refuse it.
  #context;
  #resolve;
  #reject;
  // Settles the task that runs.
  #end;
  #isPosted = false;
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

  // Begins to wait. The place is in its line.
  wait() {
    this.#context = new AsyncResource('WaitingRequest');
    this.#controller = new TaskController({ __proto__: null, priority: this.priority });
    followResponse(this.response, this.#controller, () => this.#close());
  }

  // Posts the task, unless it is posted.
  post() {
    if (this.#isPosted) return;
    this.#isPosted = true;
    this.#context.runInAsyncScope(() => {
      const task = postRequest(() => this.#turn(), this.#controller.signal);
      task.then(undefined, () => this.#giveUp());
    });
  }

  // The response has finished or closed. Somebody else may have answered while it waited.
  #close() {
    if (this.line === undefined) {
      if (this.#end !== undefined) this.#admission.settle(this.#end);
      this.#isOver = true;
      return;
    }
    this.#controller.abort();
    this.#resolve(false);
    this.#admission.leave(this);
  }

  // The scheduler has refused the task, or given it up: drain() does.
  #giveUp() {
    if (this.line !== undefined) this.#admission.refuseAtDrain(this);
  }

  #turn() {
    this.#isPosted = false;
    if (!this.#admission.isReady()) return undefined;
    const reason = this.#admission.start(this);
    if (reason !== undefined) {
      this.refuse(reason);
      this.#admission.dispatch();
      return undefined;
    }
    bind(this.request, this.response);
    this.#call();
    this.#admission.ran();
    if (this.#isOver) return undefined;
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  #call() {
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
  }

  // It is out of its line.
  refuse(reason) {
    this.#controller?.abort();
    try {
      const { request, response } = this;
      const answer = () => this.#admission.answer(request, response, reason);
      const result = this.#context === undefined ? answer() : this.#context.runInAsyncScope(answer);
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
