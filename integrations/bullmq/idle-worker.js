'use strict';

// IdleWorker, a Worker of BullMQ that works in the idle time of this thread's event loop. Queues,
// locks and retries are BullMQ's; this decides when it may fetch a job, and which jobs it gives
// back.
//
// BullMQ's main loop calls _getNextJob() to fetch a job or to wait for one. If that has set
// `waiting`, the loop starts the jobs that it has already instead of waiting, too. It calls
// processJob() with a function that says whether to fetch the next job together with the completion
// of this one, and then nextJobFromJobData() with that next job.

// First, as it refuses a host that cannot be used.
require('../../index.js');
const { setTimeout: sleep } = require('node:timers/promises');
const { WaitingError, Worker } = require('bullmq');
const { isAborted } = require('../../lib/signals/aborted.js');
const { now } = require('../../lib/loop/intrinsics.js');
const { LONGEST_TIMER } = require('../../lib/loop/timers.js');
const { WorkerCounts } = require('./counts.js');
const { BUSY, DRAINING, JobRun } = require('./job-run.js');
const { LongJobs } = require('./long-jobs.js');
const { checkProcessor, toClosing, toOptions } = require('./options.js');
const { post } = require('./post.js');

// Milliseconds for which nothing is fetched after a job has found the loop busy, or the scheduler
// draining.
const BUSY_PAUSE = 50;
const DRAINING_PAUSE = 100;

// The pauses are longer by up to this share, so that servers do not come back all at once.
const JITTER = 0.5;

const RATE_LIMITED = Worker.RateLimitError().message;
const MOVED = ['DelayedError', 'WaitingError', 'WaitingChildrenError'];

const noop = () => {};

// Whether a processor says with an error that the job has left the active list, or has to.
function isMoved(error) {
  return MOVED.includes(error?.name) || error?.message === RATE_LIMITED;
}

// How often a job was started by workers that gave it back: its starts that were no attempts.
function countGiveBacks({ attemptsStarted, attemptsMade, stalledCounter }) {
  return attemptsStarted - 1 - attemptsMade - stalledCounter;
}

// What cancelJob() gives as the reason is often text, which BullMQ keeps of an error only.
function toError(reason) {
  if (reason instanceof Error) return reason;
  return new Error(`The job was cancelled: ${reason}`, { cause: reason });
}

// Calls a function after so many milliseconds, or never.
function after(milliseconds, callback) {
  return milliseconds > LONGEST_TIMER ? undefined : setTimeout(callback, milliseconds);
}

class IdleWorker extends Worker {
  #processor;
  #patience;
  #maxGiveBacks;
  #runs = new Set();
  // The jobs that may be completed with a fetch, as nothing else was runnable when they ended.
  #endedIdle = new WeakSet();
  // Nothing is fetched before this time.
  #notBefore = 0;
  // Ends the waiting for an idle loop.
  #stop = new AbortController();
  // What a close by force has returned.
  #forced;
  #told = new Set();
  #longJobs;
  #counts;

  constructor(name, processor, options) {
    checkProcessor(processor);
    const { patience, maxGiveBacks } = toOptions(options);
    // BullMQ makes a signal for functions with three parameters.
    super(name, (job, token, signal) => this.#process(job, token, signal), options);
    this.#processor = processor;
    this.#patience = patience;
    this.#maxGiveBacks = maxGiveBacks;
    this.#longJobs = new LongJobs(name);
    this.#counts = new WorkerCounts(name);
  }

  get idleCounts() {
    return this.#counts.read();
  }

  async _getNextJob(...args) {
    const idle = this.#counts.whileWaiting(() => this.#untilIdle());
    // Another fetch is under way, or one in place of a job that has ended.
    if (this.waiting || args.at(-1)?.block === false) {
      await idle;
      return super._getNextJob(...args);
    }
    // At once, as the main loop looks at it next.
    this.waiting = idle;
    await idle;
    this.waiting = null;
    const fetched = super._getNextJob(...args);
    // If it blocks, it has set this itself.
    this.waiting ??= fetched;
    try {
      return await fetched;
    } finally {
      if (this.waiting === fetched) this.waiting = null;
    }
  }

  // A completion fetches the next job if the loop is idle. Otherwise that is made up for here, as
  // the main loop may wait in a command that only ends when a job is added.
  async processJob(job, token, mayFetch = () => true) {
    let hasFetched = false;
    const fetchesNext = () => {
      hasFetched = this.#endedIdle.delete(job) && mayFetch();
      return hasFetched;
    };
    const next = await super.processJob(job, token, fetchesNext);
    if (hasFetched || this.closing || this.paused || !mayFetch()) return next;
    const fetch = () => this.getNextJob(token, { block: false });
    const options = { delayInMs: this.opts.runRetryDelay, onlyEmitError: true };
    return this.retryIfFailed(fetch, options);
  }

  // A completion that fetches nothing has neither delays nor data. BullMQ would forget how long it
  // has to wait, and take the queue for empty.
  updateDelays(...delays) {
    if (delays.length === 0 || delays[0] !== undefined) super.updateDelays(...delays);
  }

  async nextJobFromJobData(data, ...rest) {
    return data === undefined ? undefined : super.nextJobFromJobData(data, ...rest);
  }

  async extendJobLocks(ids, tokens, duration) {
    // The next job of a token may have begun when the answer comes.
    const runs = [...this.#runs];
    const lost = await super.extendJobLocks(ids, tokens, duration);
    const lostTokens = lost.map((id) => tokens[ids.indexOf(id)]);
    for (const run of runs) {
      if (lostTokens.includes(run.token)) run.lose();
    }
    return lost;
  }

  // A closing that is forced while another one waits is the same one to listeners.
  emit(event, ...args) {
    if (event === 'closing' || event === 'closed') {
      if (this.#told.has(event)) return false;
      this.#told.add(event);
    }
    return super.emit(event, ...args);
  }

  async pause(doNotWaitActive) {
    const paused = super.pause(doNotWaitActive);
    this.#stopWaiting();
    await paused;
  }

  async close(options = false) {
    const { isForced, giveBackAfter, forceAfter } = toClosing(options);
    if (isForced) return this.#closeByForce();
    const closed = super.close();
    this.#stopWaiting();
    for (const run of this.#runs) {
      if (!run.hasStarted) run.close();
    }
    return this.#inTime(closed, giveBackAfter, forceAfter);
  }

  async #inTime(closed, giveBackAfter, forceAfter) {
    let force;
    const forced = new Promise((resolve) => {
      force = resolve;
    });
    const timers = [
      after(giveBackAfter, () => {
        for (const run of this.#runs) run.close();
      }),
      after(forceAfter, () => force(this.#closeByForce())),
    ];
    try {
      await Promise.race([closed, forced]);
    } finally {
      timers.forEach(clearTimeout);
    }
  }

  async #closeByForce() {
    if (this.#forced === undefined && !this.closed) {
      for (const run of this.#runs) run.abandon();
      // BullMQ's own close() does nothing the second time.
      this.closing = undefined;
      this.#forced = super.close(true);
      this.#stopWaiting();
    }
    return this.#forced ?? this.closing;
  }

  // Background work that runs shows that nothing else is runnable.
  async #untilIdle() {
    while (!this.closing && !this.paused) {
      const { signal } = this.#stop;
      const delay = Math.max(this.#notBefore - now(), 0);
      const label = `fetch from ${this.name}`;
      try {
        await post(noop, { delay, label, ref: false, signal });
        return;
      } catch {
        // A draining refuses it at once, so that the next try has to wait.
        if (!isAborted(signal)) await sleep(DRAINING_PAUSE, undefined, { signal }).catch(noop);
      }
    }
  }

  #stopWaiting() {
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  async #process(job, token, cancelled) {
    const run = new JobRun({
      token,
      patience: this.#patience,
      mayGiveBack: countGiveBacks(job) < this.#maxGiveBacks,
      onStart: () => this.#longJobs.measure(job.name),
    });
    run.follow(cancelled);
    this.#runs.add(run);
    // It was on its way when the worker was closed.
    if (this.closing) run.close();
    try {
      const processor = () => this.#processor(job, token, run.signal);
      const result = await run.run(processor, `${this.name}:${job.name}`);
      if (run.reason === undefined) return result;
    } catch (error) {
      if (run.reason === undefined && !run.isLost) throw run.isCancelled ? toError(error) : error;
      if (isMoved(error)) throw error;
    } finally {
      this.#runs.delete(run);
      if (run.reason === undefined && run.isIdleAtEnd) this.#endedIdle.add(job);
    }
    if (!run.isLost && this.#forced === undefined) await this.#giveBack(job, run);
    // What is thus said to have been moved is not touched.
    throw new WaitingError();
  }

  // Puts a job back at the head of the queue.
  async #giveBack(job, run) {
    const pause = this.#pauseAfter(run.reason) * (1 + Math.random() * JITTER);
    this.#notBefore = Math.max(this.#notBefore, now() + pause);
    const move = () => job.moveToWait(run.token);
    const options = { delayInMs: this.opts.runRetryDelay, onlyEmitError: true };
    // As with a completion: a renewal that comes too late would find the lock lost.
    this.lockManager.untrackJob(job.id);
    const moved = await this.retryIfFailed(move, options);
    if (moved === undefined) return;
    this.#counts.giveBack(run.reason, run.discarded);
    this.emit('givenBack', job, run.text);
  }

  #pauseAfter(reason) {
    if (reason === BUSY) return BUSY_PAUSE;
    if (reason === DRAINING) return DRAINING_PAUSE;
    return this.#patience;
  }
}

module.exports = { IdleWorker };
