'use strict';

// A visit: a request that waits in its queue, and as a posted task when few are older, until it
// starts, is refused, or its client leaves. The visit reports this to the admission, which decides.
// Its task lasts until the response has finished or closed.
//
// `request` is Node's; the record of the request is that of lib/tasks/request.js.

const { AsyncResource } = require('node:async_hooks');

const { ledger, time, webidl } = require('../../internal.js');
const { addPoints, bindEvents } = require('../points.js');
const { noteRefused, recordOf } = require('../requests.js');
const { continueWhenRead } = require('./answer.js');

class Visit {
  // Set by its queue; see line.js.
  previous = undefined;
  next = undefined;
  line = undefined;
  arrivedAt = 0;
  // Set by its priority's queues; see lines.js.
  isPosted = false;
  entry = undefined;
  startedIn = undefined;
  startedAt = 0;
  // The thread time that it is expected to use yet, in ms.
  ahead = 0;
  priority;
  // The fairness key and its weight, if given, and the route.
  key;
  weight;
  route;
  // Whether it is refused as its key has used more than its share.
  isBeyondShare = false;
  // The longest time for which it has blocked the thread, in ms.
  longest = 0;
  #label;
  #request;
  #response;
  #run;
  #admission;
  // The record of the request, from the time when it waits.
  #record = undefined;
  // The task while it is queued.
  #task = undefined;
  // The async context of the arrival, as the request is posted and refused from the contexts of
  // other requests.
  #context = undefined;
  #resolve;
  #reject;
  // Settles the running task.
  #end = undefined;
  // Whether it neither waits in a queue nor counts in the limit, and whether its listener was
  // called.
  #passes = false;
  #hasBegun = false;

  // Resolves with whether `run` was called, once the result of `run` has settled.
  constructor(admission, members, request, response, run, resolve, reject) {
    this.#admission = admission;
    this.priority = members.priority;
    this.#label = members.label;
    this.key = members.fairnessKey ?? '';
    this.weight = members.fairnessWeight;
    this.route = members.route;
    this.#request = request;
    this.#response = response;
    this.#run = run;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  // The thread time that its code has taken so far, in ms.
  get used() {
    return this.#record.used;
  }

  get request() {
    return this.#request;
  }

  // Whether its client has left, or drain() has ended it.
  get isAborted() {
    return this.#record.isAborted;
  }

  // Begins to wait, after it was added to its queue.
  wait(members) {
    this.#context = new AsyncResource('WaitingRequest');
    this.#record = recordOf(this.#response, members);
    this.#record.onEnd(() => this.#ended());
  }

  // Begins without a turn, with at least the priority of the request that waits for it.
  pass(members, { priority }) {
    this.#passes = true;
    const highest = webidl.PRIORITIES.find((each) => [members.priority, priority].includes(each));
    this.wait({ ...members, priority: highest });
    this.#begin();
    this.post();
  }

  // A drain lets it run.
  #begin() {
    const patience = this.#record.priority === 'background' ? this.#admission.raiseAfter : Infinity;
    this.#record.begin(patience, () => this.#admission.raised(this));
  }

  // Posts the task.
  post() {
    this.#context.runInAsyncScope(() => {
      this.#task = this.#record.post(() => this.#tryStart(), this.#label);
      this.#task.promise.then(undefined, (reason) => this.#abort(reason));
    });
  }

  // The priority of the controller, which can change while the request waits.
  get currentPriority() {
    return this.#record.priority;
  }

  // The scheduler has rejected the task, as drain() does at its timeout.
  #abort(reason) {
    if (this.#hasBegun) this.#record.abort(reason);
    else if (this.#passes) this.refuse('draining');
  }

  // The task has started.
  #tryStart() {
    this.#task = undefined;
    if (this.#record.isAborted) {
      this.#leave('withdrawn');
      return undefined;
    }
    if (!this.#passes) {
      if (!this.#admission.tryStart(this)) return undefined;
      this.#begin();
    }
    this.#hasBegun = true;
    this.#record.admission = this.#admission;
    bindEvents(this.#request, this.#response, new AsyncResource('AdmittedRequest'));
    addPoints(this.#response, this.#record);
    if (this.#passes) this.#admission.passed(this);
    this.#record.beginCharge((used) => this.#charged(used));
    ledger.settle(undefined);
    this.#call();
    if (this.#record.isCharged) ledger.settle(this.#record);
    if (!this.#passes) this.#admission.ran();
    if (this.#record.isOver) return undefined;
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  #charged(used) {
    if (this.#passes) this.#admission.usedBeside(this, used);
    else this.#admission.charged(this, used);
  }

  #call() {
    try {
      continueWhenRead(this.#request, this.#response);
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
    if (this.#record.isAbort(error)) this.#resolve(true);
    else this.#reject(error);
  }

  // The response has finished or closed.
  #ended() {
    if (this.line !== undefined || (this.#passes && !this.#hasBegun)) {
      this.#leave(this.#response.writableEnded ? 'withdrawn' : 'left');
      return;
    }
    if (this.startedIn !== undefined) this.#admission.ended(this);
    else this.#admission.noteEnd(this, time.now());
    this.#end?.();
  }

  // Stops waiting, without an answer.
  #leave(outcome) {
    this.#record.withdraw(this.#task);
    this.#resolve(false);
    if (!this.#passes) this.#admission.left(this, outcome);
  }

  // The admission refuses it on arrival, or has removed it from its queue.
  refuse(reason) {
    if (this.#record === undefined) noteRefused(this.#response);
    else this.#record.withdraw(this.#task);
    const answer = () => {
      return this.#admission.answer(this.#request, this.#response, reason, this.isBeyondShare);
    };
    const isIn = this.#context !== undefined;
    const pending = isIn ? this.#context.runInAsyncScope(answer) : answer();
    if (pending === undefined) this.#resolve(false);
    else pending.then(() => this.#resolve(false));
  }
}

module.exports = { Visit };
