'use strict';

// IdleWorker, a Worker of BullMQ that works in the idle time of this thread's event loop. Queues,
// locks and retries are BullMQ's; this decides when it may fetch a job, and which jobs it gives
// back.
//
// BullMQ calls _getNextJob() to fetch a job or to wait for one, processJob() with a function that
// says whether to fetch the next job together with the completion of this one, and then
// nextJobFromJobData() with that next job.

// First, as it refuses a host that cannot be used.
const { scheduler } = require('../../index.js');
const { setTimeout: sleep } = require('node:timers/promises');
const { WaitingError, Worker } = require('bullmq');
const { isAborted } = require('../../lib/signals/aborted.js');
const { now } = require('../../lib/loop/intrinsics.js');
const { BUSY, CLOSING, DRAINING, JobRun } = require('./job-run.js');
const { checkProcessor, toClosing, toOptions } = require('./options.js');

// Milliseconds for which nothing is fetched after a job has found the loop busy, or the scheduler
// draining.
const BUSY_PAUSE = 50;
const DRAINING_PAUSE = 100;

// The pauses are longer by up to this share, so that servers do not come back all at once.
const JITTER = 0.5;

const RATE_LIMITED = Worker.RateLimitError().message;
const MOVED = ['DelayedError', 'WaitingError', 'WaitingChildrenError'];

const noop = () => {};
const never = () => false;

// Whether a processor says with an error that the job has left the active list, or has to.
function isMoved(error) {
  return MOVED.includes(error?.name) || error?.message === RATE_LIMITED;
}

// How often a job was started by workers that gave it back: its starts that were no attempts.
function countGiveBacks({ attemptsStarted, attemptsMade, stalledCounter }) {
  return attemptsStarted - 1 - attemptsMade - stalledCounter;
}

class IdleWorker extends Worker {
  #processor;
  #patience;
  #maxGiveBacks;
  #runs = new Set();
  // Nothing is fetched before this time.
  #notBefore = 0;
  // Ends the waiting for an idle loop.
  #waiting = new AbortController();
  #isForced = false;
  // The names of jobs that were reported.
  #reported = new Set();

  constructor(name, processor, options) {
    checkProcessor(processor);
    const { patience, maxGiveBacks } = toOptions(options);
    // BullMQ makes a signal for functions with three parameters.
    super(name, (job, token, signal) => this.#process(job, token, signal), options);
    this.#processor = processor;
    this.#patience = patience;
    this.#maxGiveBacks = maxGiveBacks;
  }

  async _getNextJob(...args) {
    await this.#untilIdle();
    return super._getNextJob(...args);
  }

  async processJob(job, token) {
    return super.processJob(job, token, never);
  }

  // A completion that fetches nothing has no data. BullMQ would take the queue for empty.
  async nextJobFromJobData(data, ...rest) {
    return data === undefined ? undefined : super.nextJobFromJobData(data, ...rest);
  }

  async extendJobLocks(ids, tokens, duration) {
    const lost = await super.extendJobLocks(ids, tokens, duration);
    const lostTokens = lost.map((id) => tokens[ids.indexOf(id)]);
    for (const run of this.#runs) {
      if (lostTokens.includes(run.token)) run.lose();
    }
    return lost;
  }

  async pause(doNotWaitActive) {
    const paused = super.pause(doNotWaitActive);
    this.#stopWaiting();
    await paused;
  }

  async close(options = false) {
    const { force, timeout } = toClosing(options);
    if (force) this.#isForced = true;
    const closed = super.close(force);
    this.#stopWaiting();
    for (const run of this.#runs) {
      if (force) run.giveBack(CLOSING);
      else run.leave();
    }
    const timer = this.#giveBackLater(timeout);
    try {
      await closed;
    } finally {
      clearTimeout(timer);
    }
  }

  #giveBackLater(timeout) {
    if (timeout > 2 ** 31 - 1) return undefined;
    return setTimeout(() => {
      for (const run of this.#runs) run.giveBack(CLOSING);
    }, timeout);
  }

  // A background task that runs shows that nothing else is runnable.
  async #untilIdle() {
    while (!this.closing && !this.paused) {
      const { signal } = this.#waiting;
      const delay = Math.max(this.#notBefore - now(), 0);
      const label = `fetch from ${this.name}`;
      const options = { __proto__: null, priority: 'background', delay, signal, ref: false, label };
      try {
        await scheduler.postTask(noop, options);
        return;
      } catch {
        // A draining refuses it at once, so that the next try has to wait.
        if (!isAborted(signal)) await sleep(DRAINING_PAUSE, undefined, { signal }).catch(noop);
      }
    }
  }

  #stopWaiting() {
    this.#waiting.abort();
    this.#waiting = new AbortController();
  }

  async #process(job, token, cancelled) {
    const run = new JobRun({
      token,
      patience: this.#patience,
      mayGiveBack: countGiveBacks(job) < this.#maxGiveBacks,
      onHold: (milliseconds) => this.#report(job.name, milliseconds),
    });
    run.follow(cancelled);
    this.#runs.add(run);
    // It was on its way when the worker was closed.
    if (this.closing) run.leave();
    try {
      const processor = () => this.#processor(job, token, run.signal);
      const result = await run.run(processor, `${this.name}:${job.name}`);
      if (run.reason === undefined) return result;
    } catch (error) {
      if (run.reason === undefined && !run.isLost) throw error;
      if (isMoved(error)) throw error;
    } finally {
      this.#runs.delete(run);
    }
    if (!run.isLost && !this.#isForced) await this.#giveBack(job, token, run.reason);
    // What is thus said to have been moved is not touched.
    throw new WaitingError();
  }

  // Puts a job back at the head of the queue.
  async #giveBack(job, token, reason) {
    this.#notBefore = now() + this.#pauseAfter(reason) * (1 + Math.random() * JITTER);
    const move = () => job.moveToWait(token);
    const options = { delayInMs: this.opts.runRetryDelay, onlyEmitError: true };
    // As with a completion: a renewal that comes too late would find the lock lost.
    this.lockManager.untrackJob(job.id);
    const moved = await this.retryIfFailed(move, options);
    if (moved !== undefined) this.emit('givenBack', job, reason);
  }

  #pauseAfter(reason) {
    if (reason === BUSY) return BUSY_PAUSE;
    if (reason === DRAINING) return DRAINING_PAUSE;
    return this.#patience;
  }

  // Warns once of each kind of job.
  #report(name, milliseconds) {
    if (this.#reported.has(name)) return;
    this.#reported.add(name);
    process.emitWarning(
      `A job '${name}' of the queue '${this.name}' has held the event loop for ` +
        `${Math.round(milliseconds)} ms. Everything else had to wait: its processor should call ` +
        'scheduler.yield() every few milliseconds.',
      { type: 'UvSchedulerWarning', code: 'UV_SCHEDULER_LONG_JOB' },
    );
  }
}

module.exports = { IdleWorker };
