'use strict';

// IdleWorker, a Worker of BullMQ that works in the idle time of this thread's event loop. Queues,
// locks and retries are BullMQ's; this class decides when a job may be fetched, and which jobs are
// given back.
//
// BullMQ's main loop calls _getNextJob() to fetch a job or to wait for one. If _getNextJob() has
// set `waiting`, the loop starts the jobs that it already has instead of waiting as well. The loop
// calls processJob() with a function that returns whether to fetch the next job together with the
// completion of this one, and then nextJobFromJobData() with that next job.
//
// While UV_SCHEDULER_DISABLE turns the scheduler off, the class behaves as Worker: the processor
// runs in no task, no job waits for an idle loop, and none is given back.

// Loaded first, as it throws in an unsupported host.
const { isAborted, isOff, time, undocumented } = require('../internal.js');
require('../../index.js');
const { setTimeout: sleep } = require('node:timers/promises');
const { WaitingError, Worker } = require('bullmq');
const { WorkerCounts } = require('./counts.js');
const { BUSY, DRAINING, JobRun } = require('./job-run.js');
const { LongJobs } = require('./long-jobs.js');
const { checkProcessor, toClosing, toOptions } = require('./options.js');
const { post } = require('./post.js');

const { LONGEST_TIMER, clearTimer, now, setTimer } = time;
const { methodsMissingIn, retry, untrackJob } = undocumented;

// The pauses in fetching, in ms, after a job has found the loop busy, or the scheduler draining.
const BUSY_PAUSE = 50;
const DRAINING_PAUSE = 100;

// The pauses are longer by up to this part, so that servers do not fetch again all at once.
const JITTER = 0.5;

const RATE_LIMITED = Worker.RateLimitError().message;
const MOVED = ['DelayedError', 'WaitingError', 'WaitingChildrenError'];

// Whether the class behaves as Worker.
const IS_OFF = isOff();

const noop = () => {};

let hasWarned = false;

// Warns if this version of BullMQ is an unknown one.
function warnOfVersion() {
  const missing = methodsMissingIn(Worker);
  if (hasWarned || missing.length === 0) return;
  hasWarned = true;
  process.emitWarning(
    'uv-scheduler/bullmq does not know this version of BullMQ, whose Worker lacks ' +
      `${missing.join()}: IdleWorker may fetch jobs while the event loop is busy. ` +
      'Look for a newer uv-scheduler.',
    { type: 'UvSchedulerWarning', code: 'UV_SCHEDULER_BULLMQ' },
  );
}

// Whether an error of a processor means that the job has left the active list, or must leave it.
function isMoved(error) {
  return MOVED.includes(error?.name) || error?.message === RATE_LIMITED;
}

// How often a job was given back: the number of its starts that were not attempts.
function countGiveBacks({ attemptsStarted, attemptsMade, stalledCounter }) {
  return attemptsStarted - 1 - attemptsMade - stalledCounter;
}

// The reason of cancelJob() is often a string, but BullMQ stores only the message of an error.
function toError(reason) {
  if (reason instanceof Error) return reason;
  return new Error(`The job was cancelled: ${reason}`, { cause: reason });
}

// Calls a function after the given milliseconds, or never if they exceed the longest timer.
function after(milliseconds, callback) {
  return milliseconds > LONGEST_TIMER ? undefined : setTimer(callback, milliseconds);
}

class IdleWorker extends Worker {
  #processor;
  #patience;
  #maxGiveBacks;
  #runs = new Set();
  // The jobs that may be completed with a fetch, as nothing else was runnable when they ended.
  #endedIdle = new WeakSet();
  // No job is fetched before this time.
  #notBefore = 0;
  // Ends the wait for an idle loop.
  #stop = new AbortController();
  // The promise of a forced close.
  #forced;
  #told = new Set();
  #longJobs;
  #counts;

  constructor(name, processor, options) {
    checkProcessor(processor);
    warnOfVersion();
    const { patience, maxGiveBacks } = toOptions(options);
    // BullMQ creates a signal only for functions with three parameters.
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
    if (IS_OFF) return super._getNextJob(...args);
    const idle = this.#counts.whileWaiting(() => this.#untilIdle());
    // Another fetch is under way, or this one replaces a job that has ended.
    if (this.waiting || args.at(-1)?.block === false) {
      await idle;
      return super._getNextJob(...args);
    }
    // Set synchronously, as the main loop reads `waiting` next.
    this.waiting = idle;
    await idle;
    this.waiting = null;
    const fetched = super._getNextJob(...args);
    // If the fetch blocks, it has set `waiting` itself.
    this.waiting ??= fetched;
    try {
      return await fetched;
    } finally {
      if (this.waiting === fetched) this.waiting = null;
    }
  }

  // A completion fetches the next job if the loop is idle. Otherwise the next job is fetched here,
  // as the main loop may wait in a command that only ends when a job is added.
  async processJob(job, token, mayFetch = () => true) {
    if (IS_OFF) return super.processJob(job, token, mayFetch);
    let hasFetched = false;
    const fetchesNext = () => {
      hasFetched = this.#endedIdle.delete(job) && mayFetch();
      return hasFetched;
    };
    const next = await super.processJob(job, token, fetchesNext);
    if (hasFetched || this.closing || this.paused || !mayFetch()) return next;
    const fetch = () => this.getNextJob(token, { block: false });
    return retry(this, fetch, this.opts.runRetryDelay);
  }

  // A completion without a fetch has neither delays nor data. BullMQ would then forget its delay,
  // and assume that the queue is empty.
  updateDelays(...delays) {
    if (delays.length === 0 || delays[0] !== undefined) super.updateDelays(...delays);
  }

  async nextJobFromJobData(data, ...rest) {
    return data === undefined ? undefined : super.nextJobFromJobData(data, ...rest);
  }

  async extendJobLocks(ids, tokens, duration) {
    // Copied, as the next job of a token may have begun when the answer arrives.
    const runs = [...this.#runs];
    const lost = await super.extendJobLocks(ids, tokens, duration);
    const lostTokens = lost.map((id) => tokens[ids.indexOf(id)]);
    for (const run of runs) {
      if (lostTokens.includes(run.token)) run.lose();
    }
    return lost;
  }

  // If a close is forced while another one waits, listeners get each event only once.
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
      timers.forEach(clearTimer);
    }
  }

  async #closeByForce() {
    if (this.#forced === undefined && !this.closed) {
      for (const run of this.#runs) run.abandon();
      // BullMQ's own close() does nothing if `closing` is set.
      this.closing = undefined;
      this.#forced = super.close(true);
      this.#stopWaiting();
    }
    return this.#forced ?? this.closing;
  }

  // When a background task runs, nothing else is runnable.
  async #untilIdle() {
    while (!this.closing && !this.paused) {
      const { signal } = this.#stop;
      const delay = Math.max(this.#notBefore - now(), 0);
      const label = `fetch from ${this.name}`;
      try {
        await post(noop, { delay, label, ref: false, signal });
        return;
      } catch {
        // A drain refuses the task immediately, so the next try must wait.
        if (!isAborted(signal)) await sleep(DRAINING_PAUSE, undefined, { signal }).catch(noop);
      }
    }
  }

  #stopWaiting() {
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  async #process(job, token, cancelled) {
    if (IS_OFF) return this.#processor(job, token, cancelled);
    const run = new JobRun({
      token,
      patience: this.#patience,
      mayGiveBack: countGiveBacks(job) < this.#maxGiveBacks,
      onStart: () => this.#longJobs.measure(job.name),
    });
    run.follow(cancelled);
    this.#runs.add(run);
    // The job was being fetched when the worker was closed.
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
    // With this error, BullMQ does not change the state of the job.
    throw new WaitingError();
  }

  // Puts a job back at the head of the queue.
  async #giveBack(job, run) {
    const pause = this.#pauseAfter(run.reason) * (1 + Math.random() * JITTER);
    this.#notBefore = Math.max(this.#notBefore, now() + pause);
    const move = () => job.moveToWait(run.token);
    // As in a completion: a late renewal would find the lock lost.
    untrackJob(this, job);
    const moved = await retry(this, move, this.opts.runRetryDelay);
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
