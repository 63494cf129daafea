'use strict';

// One run of a job's processor in a background task, from the moment that the job arrives until
// the processor has settled. It decides when a job is to be given back; the worker moves it.

const { shouldYield } = require('../../index.js');
const { onAbort } = require('../../lib/signals/abort-steps.js');
const { isAborted } = require('../../lib/signals/aborted.js');
const { now } = require('../../lib/loop/intrinsics.js');
const { post } = require('./post.js');
const { FirstTurn, Turns } = require('./turns.js');

// A job that arrives gets its first turn within this many milliseconds, or the loop is busy. Giving
// it back costs two commands of Redis, so a request that is served soon is waited for, and so is
// the end of a hold: for a quota it lasts for a part of the quota's period, mostly of 100 ms.
const ARRIVAL = { busy: 50, held: 200 };

// Why a job is given back.
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
  // The lock by which the job is this worker's.
  token;
  // False if the job was given back so often that it stays here.
  #mayGiveBack;
  // Why the job is to be given back, as a word and for people; or undefined.
  reason;
  text;
  isLost = false;
  isCancelled = false;
  // Whether nothing else was runnable when the processor settled.
  isIdleAtEnd = false;
  // Milliseconds from the start to the last turn before the job was told to end.
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

  // Aborts the job's signal when BullMQ's own is aborted, by `cancelJob()`. Older versions have
  // none.
  follow(signal) {
    if (signal === undefined) return;
    onAbort(signal, (reason) => {
      this.isCancelled = true;
      this.#controller.abort(reason);
    });
  }

  // Runs the processor and settles as it does, or when the run is abandoned.
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
      // The task may be rejected before its processor has settled: if the signal is aborted from
      // inside, or by a draining that lasts for too long.
      if (this.#outcome !== undefined) return await this.#outcome;
      // A draining has refused it.
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
    return this.#outcome;
  }

  // What a processor throws at once is its outcome, too.
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
