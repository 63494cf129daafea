'use strict';

// Warns of kinds of jobs that block the event loop for long. Measures the callback in which a
// processor starts.

const { platform, time } = require('../internal.js');

const { nextTick, queueMicrotask } = platform;
const { now, turnsOfLoop } = time;

// Ten time slices of 5 ms. A job that blocks the loop for this long without a yield is reported.
const LONGEST_BLOCK = 50;

// A job that used no CPU time may have blocked the loop in a synchronous wait, for example for
// another program. A time of this length is reported if it occurs twice.
const LONGEST_WAIT = 500;

// The processor time of this thread in milliseconds. Node 20 and early versions of 22 report only
// the time of the process, with all of its threads.
const isOfThread = process.threadCpuUsage !== undefined;
const usage = isOfThread ? process.threadCpuUsage : process.cpuUsage;

function processorTime() {
  const { user, system } = usage.call(process);
  return (user + system) / 1000;
}

class LongJobs {
  #queue;
  // The names of jobs that were reported.
  #reported = new Set();
  // The names of jobs whose last run may have been too long.
  #suspects = new Set();

  constructor(queue) {
    this.#queue = queue;
  }

  // Measures the callback that runs now, in which a job with this name starts, with its ticks and
  // microtasks.
  measure(name) {
    if (this.#reported.has(name)) return;
    const start = now();
    const before = processorTime();
    const turns = turnsOfLoop();
    const end = () => {
      const blocked = now() - start;
      const isSuspect = this.#suspects.delete(name);
      // In a nested run of the loop, all other work could run.
      if (blocked < LONGEST_BLOCK || turnsOfLoop() !== turns) return;
      this.#judge(name, blocked, processorTime() - before, isSuspect);
    };
    // The second tick comes when no microtask is left.
    nextTick(() => queueMicrotask(() => nextTick(end)));
  }

  // The machine can pause this thread at any time: a job with less CPU time is reported only if its
  // previous run was as long.
  #judge(name, blocked, computed, isSuspect) {
    const isCertain = isOfThread && computed >= LONGEST_BLOCK;
    const isLikely = blocked >= LONGEST_WAIT || (!isOfThread && computed > blocked / 2);
    if (isCertain || (isLikely && isSuspect)) this.#report(name, blocked);
    else if (isLikely) this.#suspects.add(name);
  }

  // Warns once of each kind of job.
  #report(name, blocked) {
    this.#reported.add(name);
    process.emitWarning(
      `A job '${name}' of the queue '${this.#queue}' has blocked the event loop for ` +
        `${Math.round(blocked)} ms. All other work had to wait: its processor should call ` +
        'scheduler.yield() every few milliseconds.',
      { type: 'UvSchedulerWarning', code: 'UV_SCHEDULER_LONG_JOB' },
    );
  }
}

module.exports = { LongJobs };
