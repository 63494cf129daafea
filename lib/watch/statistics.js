'use strict';

// The counts of one monitor: by priority, the waits, durations and outcomes of tasks; the use of
// the thread's time; the time for which background work was held; the labels with the most time;
// and the slowest callbacks. Times are in nanoseconds. Priorities are indices, 0 for background
// work.

const { idleTime } = require('../loop/time.js');
const { Distribution } = require('./distribution.js');
const { HeldTime, REASONS } = require('./held-time.js');
const { LabelTimes } = require('./label-times.js');
const { Longest } = require('./longest.js');
const { labelOf } = require('./message.js');

const PRIORITIES = 3;

const distributions = () => Array.from({ length: PRIORITIES }, () => new Distribution());

const noTimes = () => Object.fromEntries(REASONS.map((reason) => [reason, 0]));

class Statistics {
  waits = distributions();
  durations = distributions();
  completed = new Float64Array(PRIORITIES);
  failed = new Float64Array(PRIORITIES);
  aborted = new Float64Array(PRIORITIES);
  // The nanoseconds for which tasks of each priority have run.
  time = new Float64Array(PRIORITIES);
  labels = new LabelTimes();
  longest;
  // Replaced at each reset, so that times from before it are not compared with later ones.
  era = {};
  // The elapsed time, and the idle time of the loop, up to the last pause() of this monitor.
  #elapsed = 0;
  #idle = 0;
  // The time for which background work was held, by reason, up to the last pause() of this
  // monitor.
  #held = noTimes();
  // The time of the last resume(); undefined while paused.
  #resumedAt = undefined;
  #idleBefore = 0;
  #heldSince = undefined;

  // `window` is the time for which the slowest callbacks are kept.
  constructor(window) {
    this.longest = new Longest(window);
  }

  resume(now) {
    this.#resumedAt = now;
    this.#idleBefore = idleTime();
    this.#heldSince = new HeldTime();
  }

  pause(now) {
    ({ elapsed: this.#elapsed, idle: this.#idle } = this.wholeTime(now));
    this.#held = this.heldTime();
    this.#resumedAt = undefined;
  }

  wholeTime(now) {
    if (this.#resumedAt === undefined) return { elapsed: this.#elapsed, idle: this.#idle };
    return {
      elapsed: this.#elapsed + now - this.#resumedAt,
      idle: this.#idle + idleTime() - this.#idleBefore,
    };
  }

  // Nanoseconds by reason.
  heldTime() {
    if (this.#resumedAt === undefined) return this.#held;
    const { times } = this.#heldSince.read();
    const sums = REASONS.map((reason) => [reason, this.#held[reason] + times[reason]]);
    return Object.fromEntries(sums);
  }

  // A step has ended. If it began before the monitor was enabled or reset, it counts from then.
  countStep(step) {
    const { priority, startedAt, endedAt } = step;
    // Excludes the steps that interrupted this one.
    const own = step.spent + endedAt - step.resumedAt;
    this.time[priority] += own;
    if (!step.isCounted) return;
    const resumedAt = this.#resumedAt;
    const begun = startedAt > resumedAt ? startedAt : resumedAt;
    const duration = endedAt - begun;
    this.durations[priority].record(duration);
    this.labels.record(labelOf(step.source), priority, own < duration ? own : duration);
    this.longest.record(step.source, priority, begun, endedAt);
  }

  reset(now) {
    for (const each of [...this.waits, ...this.durations]) each.reset();
    for (const each of [this.completed, this.failed, this.aborted, this.time]) each.fill(0);
    this.labels.reset();
    this.longest.reset();
    this.era = {};
    this.#elapsed = 0;
    this.#idle = 0;
    this.#held = noTimes();
    if (this.#resumedAt !== undefined) this.resume(now);
  }
}

module.exports = { Statistics };
