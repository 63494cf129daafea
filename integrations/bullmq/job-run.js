'use strict';

// One run of a job's processor in a background task, from the arrival of the job until the
// processor has settled. Decides when the job is given back; the worker moves the job.

const { isAborted, onAbort, time } = require('../internal.js');
const { shouldYield } = require('../../index.js');
const { post } = require('./post.js');
const { FirstTurn, Turns } = require('./turns.js');

const { now } = time;

// If an arriving job gets no turn within this many milliseconds, the loop is busy. Giving a job
// back costs two commands of Redis, so short requests are waited for, and so is the end of a hold:
// for a quota, a hold lasts for a part of the quota's period, mostly 100 ms.
const ARRIVAL = { busy: 50, held: 200 };

// The reasons for giving a job back.
const BUSY = 'busy';
const NO_TURN = 'no-turn';
const CLOSING = 'closing';
const DRAINING = 'draining';

function abortError(message) {
  return new DOMException(message, 'AbortError');
}

class JobRun {
  #controller = new AbortController();
  #patience;
  #onStart;
  #turns;
  #outcome;
  #startedAt;
  #abandon;
  // The lock of this worker on the job.
  token;
  // False if the job was given back so often that it must stay here.
  #mayGiveBack;
  // The reason why the job is to be given back, as a code and as a text; otherwise undefined.
  reason;
  text;
  isLost = false;
  isCancelled = false;
  // Whether nothing else was runnable when the processor settled.
  isIdleAtEnd = false;
  // Milliseconds from the start to the last turn before the job is given back.
  discarded = 0;

  // `onStart` is called when the job gets its first turn.
  constructor({ token, patience, mayGiveBack, onStart }) {
    this.token = token;
    this.#patience = patience;
    this.#mayGiveBack = mayGiveBack;
    this.#onStart = onStart;
  }

  get signal() {
    return this.#controller.signal;
  }

  get hasStarted() {
    return this.#startedAt !== undefined;
  }

  // Aborts the job's signal when `cancelJob()` aborts BullMQ's own. Older versions have no signal.
  follow(signal) {
    if (signal === undefined) return;
    onAbort(signal, (reason) => {
      this.isCancelled = true;
      this.#controller.abort(reason);
    });
  }

  // Runs the processor and settles like its promise, or when the run is abandoned.
  async run(processor, label) {
    if (this.#mayGiveBack) {
      const onNone = () => this.giveBack(BUSY, 'the event loop is busy');
      const busy = Math.min(ARRIVAL.busy, this.#patience);
      const held = Math.min(ARRIVAL.held, this.#patience);
      this.#turns = new FirstTurn({ busy, held }, onNone);
    }
    const { signal } = this;
    try {
      return await post(() => this.#start(processor), { label, signal });
    } catch (error) {
      // The task may be rejected before its processor has settled: if the processor aborts the
      // signal, or at the timeout of a drain.
      if (this.#outcome !== undefined) return await this.#outcome;
      // A drain has refused the task.
      if (!isAborted(signal)) this.#setReason(DRAINING, 'the scheduler drains');
      throw error;
    } finally {
      this.#turns?.end();
    }
  }

  #start(processor) {
    this.#turns?.end();
    if (this.#mayGiveBack) {
      const text = `it got no turn for ${this.#patience} ms`;
      this.#turns = new Turns(this.#patience, () => this.giveBack(NO_TURN, text));
    }
    this.#startedAt = now();
    this.#onStart();
    this.#outcome = new Promise((resolve, reject) => {
      this.#abandon = reject;
      this.#settle(processor).then(resolve, reject);
    });
    // If the processor has aborted the task, run() waits for the outcome.
    return isAborted(this.signal) ? undefined : this.#outcome;
  }

  // An error that a processor throws synchronously is also its outcome.
  async #settle(processor) {
    try {
      return await processor();
    } finally {
      this.isIdleAtEnd = !shouldYield();
    }
  }

  #setReason(reason, text) {
    this.reason = reason;
    this.text = text;
    if (!this.hasStarted) return;
    const withoutTurn = reason === NO_TURN ? this.#patience : 0;
    this.discarded = Math.max(now() - this.#startedAt - withoutTurn, 0);
  }

  // Ends the run, so that the job can be given back when its processor has settled.
  giveBack(reason, text) {
    if (isAborted(this.signal)) return;
    this.#setReason(reason, text);
    this.#controller.abort(abortError(`The job is given back, as ${text}`));
  }

  // Called when the worker closes, and after its timeout.
  close() {
    this.giveBack(CLOSING, 'the worker closes');
  }

  // Ends the run, and its task, without waiting for the processor.
  abandon() {
    this.close();
    this.#abandon?.(this.signal.reason);
  }

  // Called when the lock is lost.
  lose() {
    this.isLost = true;
    const message = "The job's lock was lost: another worker may have the job";
    this.#controller.abort(abortError(message));
  }
}

module.exports = { BUSY, DRAINING, JobRun };
