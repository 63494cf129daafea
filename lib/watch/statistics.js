'use strict';

// What one monitor counts: by priority, the waits and durations of tasks and what became of them;
// where the time goes; for how long background work was held; the labels that take it; and the
// slowest callbacks. Times are in nanoseconds. Priorities are indices, from 0 for background work.

const { idleTime } = require('./clock.js');
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
  // How long the thread was held.
  time = new Float64Array(PRIORITIES);
  labels = new LabelTimes();
  longest;
  // Another object after each reset.
  era = {};
  // All time, and that in which the loop waited, up to the last pause.
  #elapsed = 0;
  #idle = 0;
  // For how long background work was held, by reason, up to the last pause.
  #held = noTimes();
  // When that was resumed; undefined while paused.
  #resumedAt = undefined;
  #idleBefore = 0;
  #heldSince = undefined;

  // `window`: for how long the slowest callbacks are remembered.
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

  // A step has ended. One that had begun before the monitor was enabled or reset counts from then.
  countStep(step) {
    const { priority, startedAt, endedAt } = step;
    // Without the steps that it was interrupted by.
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
