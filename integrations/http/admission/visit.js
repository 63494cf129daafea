'use strict';

// One request: it waits in its queue, and as a posted task when it is the oldest, until it runs, is
// refused, or its client leaves. The task lasts until the response has finished or closed.

const { AsyncResource } = require('node:async_hooks');

const api = require('../../../index.js');
const { adopt, followResponse, refuse, setDefaultPriority } = require('../controller-for.js');
const { continueWhenRead } = require('./answer.js');

const { Request } = api[Symbol.for('uv-scheduler.requests')];

class Visit {
  // Set by its queue; see line.js.
  previous = undefined;
  next = undefined;
  line = undefined;
  arrivedAt = 0;
  // Set by its priority's queues; see lines.js.
  entry = undefined;
  startedIn = undefined;
  startedAt = 0;
  // Whether it uses the share of its key until its response has ended.
  sharesRoom = false;
  priority;
  // The fairness key and its weight, if given.
  key;
  weight;
  request;
  response;
  #run;
  #admission;
  // Its priority, fairness key and weight.
  #members;
  #controller;
  // The scheduler's record of the request.
  #known;
  // The async context of the arrival, as the request is posted and refused from the contexts of
  // other requests.
  #context;
  #resolve;
  #reject;
  // Settles the running task.
  #end;
  #isOver = false;

  // Resolves with whether `run` was called, once the result of `run` has settled.
  constructor(admission, members, request, response, run, resolve, reject) {
    this.#admission = admission;
    this.#members = members;
    this.priority = members.priority;
    this.key = members.fairnessKey ?? '';
    this.weight = members.fairnessWeight;
    this.request = request;
    this.response = response;
    this.#run = run;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  // Begins to wait, after it was added to its queue.
  wait() {
    this.#context = new AsyncResource('WaitingRequest');
    this.#controller = adopt(this.response, this.#members);
    const patience = this.priority === 'background' ? this.#admission.maxWait : Infinity;
    this.#known = new Request(this.#controller.signal, patience, () => this.#raise());
    followResponse(this.response, () => this.#close());
  }

  // Posts the task.
  post() {
    this.#context.runInAsyncScope(() => {
      const task = this.#known.post(() => this.#turn());
      task.then(undefined, (reason) => this.#abort(reason));
    });
  }

  get isPosted() {
    return this.#known.isPosted;
  }

  // The priority of the controller, which can change while the request waits.
  get currentPriority() {
    return this.#known.priority;
  }

  // The waits of the started request have reached `maxWait`.
  #raise() {
    if (this.currentPriority !== 'background') return;
    this.#admission.raised(this);
    setDefaultPriority(this.#controller);
  }

  // The response has finished or closed.
  #close() {
    if (this.line === undefined) {
      this.#isOver = true;
      if (this.#known.isRunning) this.#admission.settled(this);
      this.#known.end();
      this.#end?.();
      return;
    }
    this.#leave(this.response.writableEnded ? 'withdrawn' : 'left');
  }

  // Stops waiting, without an answer.
  #leave(outcome) {
    this.#withdraw();
    this.#resolve(false);
    this.#admission.leave(this, outcome);
  }

  // The scheduler has rejected the task, as drain() does at its timeout.
  #abort(reason) {
    if (this.#known.isRunning) this.#controller.abort(reason);
  }

  #turn() {
    this.#known.start();
    if (!this.#admission.isReady(this) || this.#admission.mustWait(this.priority)) {
      this.#admission.waitsAgain(this);
      return undefined;
    }
    if (this.#controller.signal.aborted) {
      this.#leave('withdrawn');
      return undefined;
    }
    if (!this.#admission.start(this)) return undefined;
    this.#known.begin();
    bind(this.request, this.response);
    this.#call();
    this.#admission.ran(this);
    if (this.#isOver) return undefined;
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  #call() {
    try {
      continueWhenRead(this.request, this.response);
      const result = this.#run();
      if (typeof result?.then === 'function') {
        Promise.resolve(result).then(() => this.#resolve(true), (error) => this.#fail(error));
      } else {
        this.#resolve(true);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#run = undefined;
  }

  // The abort by the client's signal is not an error.
  #fail(error) {
    if (this.#known.isAbort(error)) this.#resolve(true);
    else this.#reject(error);
  }

  #withdraw() {
    const { signal } = this.#controller;
    this.#controller.abort();
    this.#known.withdraw(signal.reason);
  }

  // Called after the request was removed from its queue.
  refuse(reason) {
    if (this.#controller === undefined) refuse(this.response);
    else this.#withdraw();
    const answer = () => this.#admission.answer(this.request, this.response, reason);
    const isIn = this.#context !== undefined;
    const pending = isIn ? this.#context.runInAsyncScope(answer) : answer();
    if (pending === undefined) this.#resolve(false);
    else pending.then(() => this.#resolve(false));
  }
}

// Runs the listeners of the request and the response in the async context of the running task.
// Otherwise the listeners of body parsers would run in the context of the connection.
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
