'use strict';

// Warns of kinds of jobs that block the event loop for long. What is measured is the callback in
// which a processor starts.

const { performance } = require('node:perf_hooks');
const { nextTick, now, queueMicrotask } = require('../../lib/loop/intrinsics.js');

// Ten time slices of 5 ms. A job that has blocked the loop for so long at once is reported.
const LONGEST_BLOCK = 50;

// A job that has not computed may have waited for something without giving way, for example for
// another program. So long a time is taken for that, if it comes twice.
const LONGEST_WAIT = 500;

// The processor time of this thread in milliseconds. Node 20 and early versions of 22 know that of
// the process only, with all of its threads.
const isOfThread = process.threadCpuUsage !== undefined;
const usage = isOfThread ? process.threadCpuUsage : process.cpuUsage;

function processorTime() {
  const { user, system } = usage.call(process);
  return (user + system) / 1000;
}

// Undefined where Node does not count them.
function turnsOfLoop() {
  return performance.nodeTiming.uvMetricsInfo?.loopCount;
}

class LongJobs {
  #queue;
  // The names of jobs that were reported.
  #reported = new Set();
  // The names of jobs the last of which was perhaps too long.
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
      // A nested run of the loop gives way to everything else.
      if (blocked < LONGEST_BLOCK || turnsOfLoop() !== turns) return;
      this.#judge(name, blocked, processorTime() - before, isSuspect);
    };
    // The second tick comes when no microtask is left.
    nextTick(() => queueMicrotask(() => nextTick(end)));
  }

  // The machine can stop this thread at any time: a job that has not computed for so long itself is
  // reported only if the one before it was as long.
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
      `A job '${name}' of the queue '${this.#queue}' has held the event loop for ` +
        `${Math.round(blocked)} ms. Everything else had to wait: its processor should call ` +
        'scheduler.yield() every few milliseconds.',
      { type: 'UvSchedulerWarning', code: 'UV_SCHEDULER_LONG_JOB' },
    );
  }
}

module.exports = { LongJobs };
