'use strict';

// One run of a job's processor in a background task, from the moment that the job arrives until
// the processor has settled. It decides when a job is to be given back; the worker moves it.

const { scheduler } = require('../../index.js');
const { isAborted } = require('../../lib/signals/aborted.js');
const { nextTick, now, queueMicrotask } = require('../../lib/loop/intrinsics.js');
const { Turns } = require('./turns.js');

// A job that arrives gets its first turn within this many milliseconds, or the loop is busy. Giving
// it back costs two commands of Redis, so a request that is served soon is waited for.
const ARRIVAL = 50;

// Ten time slices of 5 ms. A job that has held the loop for so long at once is reported.
const LONGEST_HOLD = 50;

// No other program holds this one up for so long.
const CERTAIN_HOLD = 500;

// Why a job is given back.
const BUSY = 'the event loop is busy';
const NO_TURN = 'it got no turn';
const CLOSING = 'the worker closes';
const DRAINING = 'the scheduler drains';

function abortError(message) {
  return new DOMException(message, 'AbortError');
}

// Calls `report(milliseconds)` if the callback that runs now, with its ticks and microtasks, holds
// the loop for too long.
function measure(report) {
  const start = now();
  const before = process.cpuUsage();
  const end = () => {
    const held = now() - start;
    if (held >= LONGEST_HOLD && (held >= CERTAIN_HOLD || isBusySince(before, held))) report(held);
  };
  // The second tick comes when no microtask is left.
  nextTick(() => queueMicrotask(() => nextTick(end)));
}

// Whether this process has used most of the time. If not, the machine may have held it up.
function isBusySince(before, milliseconds) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 > milliseconds / 2;
}

class JobRun {
  #controller = new AbortController();
  #patience;
  #onHold;
  #arrival;
  #turns;
  #outcome;
  // The lock by which the job is this worker's.
  token;
  // False if the job was given back so often that it stays here.
  #mayGiveBack;
  // Why the job is to be given back, or undefined.
  reason;
  isLost = false;

  // `onHold` is called with the milliseconds for which the start of the job has held the loop, if
  // they are too many.
  constructor({ token, patience, mayGiveBack, onHold }) {
    this.token = token;
    this.#patience = patience;
    this.#mayGiveBack = mayGiveBack;
    this.#onHold = onHold;
  }

  get signal() {
    return this.#controller.signal;
  }

  // Aborts the job's signal when BullMQ's own is aborted, by `cancelJob()`. Older versions have
  // none.
  follow(signal) {
    if (signal === undefined) return;
    const cancel = () => this.#controller.abort(signal.reason);
    if (isAborted(signal)) cancel();
    else signal.addEventListener('abort', cancel, { __proto__: null, once: true });
  }

  // Runs the processor and settles as it does.
  async run(processor, label) {
    const { signal } = this;
    if (this.#mayGiveBack) this.#arrival = setTimeout(this.#onBusy, this.#waitForFirstTurn);
    const options = { __proto__: null, priority: 'background', signal, label };
    try {
      return await scheduler.postTask(() => this.#start(processor), options);
    } catch (error) {
      // The task may be rejected before its processor has settled: if the signal is aborted from
      // inside, or by a draining that lasts for too long.
      if (this.#outcome !== undefined) return await this.#outcome;
      // A draining has refused it.
      if (!isAborted(signal)) this.reason = DRAINING;
      throw error;
    } finally {
      clearTimeout(this.#arrival);
      this.#turns?.end();
    }
  }

  get #waitForFirstTurn() {
    return Math.min(ARRIVAL, this.#patience);
  }

  #start(processor) {
    clearTimeout(this.#arrival);
    if (this.#mayGiveBack) this.#turns = new Turns(this.#patience, this.#onNoTurn);
    measure(this.#onHold);
    // What it throws at once is its outcome, too.
    this.#outcome = (async () => processor())();
    return this.#outcome;
  }

  #onBusy = () => this.giveBack(BUSY);

  #onNoTurn = () => this.giveBack(`${NO_TURN} for ${this.#patience} ms`);

  // Ends the run, so that the job can be given back when its processor has settled.
  giveBack(reason) {
    if (isAborted(this.signal)) return;
    this.reason = reason;
    this.#controller.abort(abortError(`The job is given back, as ${reason}`));
  }

  // Called when the worker closes: a job that has not started is given back at once.
  leave() {
    if (this.#outcome === undefined) this.giveBack(CLOSING);
  }

  // Called when the lock is lost.
  lose() {
    this.isLost = true;
    this.#controller.abort(abortError("The job's lock was lost: another worker may have the job"));
  }
}

module.exports = { BUSY, CLOSING, DRAINING, JobRun };
