'use strict';

// The driver of the test scheduler: a clock that moves only when the test moves it, and turns of
// the loop that run only then. A turn starts one task.
//
// With a seed the driver varies everything that the contract leaves open: how long a task takes,
// how late the loop wakes up, whether I/O is ready or other work is runnable, how many other
// callbacks come between two tasks, and whether timers come before delayed tasks that are due.

const { readNanoseconds } = require('../../lib/loop/platform.js');
const { NO_TASK } = require('../../lib/loop/protocol.js');
const { Random } = require('./random.js');

const NANOSECONDS_PER_MILLISECOND = 1e6;

// Times of the core are multiples of this number of nanoseconds, plus the time of the test: so no
// bit of the latter is lost, whatever the time of the host is.
const PRECISION = 2 ** 20;

// With a seed, how likely each of these is.
const READY = 1 / 4;
const LATE = 1 / 4;

// With a seed, the longest time in ms of a task or between a deadline and the wake-up, and the most
// turns of the real loop behind a task.
const LATEST = 8;
const MOST_TURNS = 3;

// The most turns in a row that start no task although tasks are queued.
const MOST_EMPTY_TURNS = 10_000;

class TestClock {
  #hooks;
  #random;
  #immediate;
  #advanceTimers;
  #maxTasks;
  #explain;
  // The time of the host when the test began. The test goes on from there, as watchers and other
  // parts of the package compare times from before, in, and after the test.
  #origin = Math.ceil(readNanoseconds() / PRECISION) * PRECISION;
  // Nanoseconds since then, as is the deadline.
  #time = 0;
  #deadline = -1;
  #isReferenced = false;
  #started = 0;
  #countQueued;

  // `immediate(callback)` is the host's own setImmediate(), `advanceTimers(ms)` moves the fake
  // timers of the test. `explain(text)` makes an error of the operation under way.
  constructor({ seed, maxTasks, immediate, advanceTimers, explain }) {
    this.#random = seed === undefined ? undefined : new Random(seed);
    this.#maxTasks = maxTasks;
    this.#immediate = immediate;
    this.#advanceTimers = advanceTimers;
    this.#explain = explain;
  }

  // The driver's members; see lib/portable/binding.js.

  connect(hooks) {
    this.#hooks = hooks;
  }

  now() {
    return this.#origin + this.#time;
  }

  isIoReady() {
    return this.#happens(READY);
  }

  isBusy() {
    return this.#happens(READY);
  }

  setIsInTask() {}

  beginQuestion() {}

  requestTurn() {}

  setReferenced(isReferenced) {
    this.#isReferenced = isReferenced;
  }

  // The test asks for turns itself.
  setAwake() {}

  setTimer(deadline) {
    this.#deadline = deadline < 0 ? -1 : deadline - this.#origin;
  }

  // The members for the test scheduler.

  // Milliseconds since the start of the test.
  get milliseconds() {
    return this.#time / NANOSECONDS_PER_MILLISECOND;
  }

  // `countQueued(lowest)` returns the number of queued entries of this rank or above.
  use(countQueued) {
    this.#countQueued = countQueued;
  }

  // Starts all queued entries of this rank or above, until none is left.
  async run(lowest) {
    let empty = 0;
    // Code of the test may still be in its ticks and microtasks.
    await this.#turnOfHost();
    while (this.#countQueued(lowest) > 0) {
      if (await this.#turn()) empty = 0;
      else if (++empty > MOST_EMPTY_TURNS) throw this.#explain('no queued task may start');
    }
  }

  // Moves the time, and starts what is due meanwhile.
  async advance(milliseconds) {
    const target = this.#time + milliseconds * NANOSECONDS_PER_MILLISECOND;
    await this.run(0);
    while (this.#deadline >= 0 && this.#deadline <= target) {
      await this.#moveTo(this.#deadline);
      await this.run(0);
    }
    if (this.#time < target) {
      await this.#moveTo(target);
      await this.run(0);
    }
  }

  // Starts everything that is queued or delayed, until nothing is left that keeps a process alive.
  async runAll() {
    await this.run(0);
    while (this.#isReferenced && this.#deadline >= 0) {
      await this.#moveTo(this.#deadline);
      await this.run(0);
    }
  }

  #happens(probability) {
    return this.#random?.chance(probability) ?? false;
  }

  #turnOfHost() {
    return new Promise((resolve) => this.#immediate(resolve));
  }

  // Runs a turn of the loop, which starts at most one task, and everything that follows from the
  // task. Returns whether it has started one.
  async #turn() {
    if (this.#started >= this.#maxTasks) {
      throw this.#explain(
        `${this.#maxTasks} tasks and continuations were started (maxTasks), and more are queued`,
      );
    }
    this.#hooks.prepare();
    this.#hooks.beginCheck();
    const id = this.#hooks.nextInCheck();
    const isTask = id !== NO_TASK;
    try {
      if (isTask) {
        this.#started++;
        // Throws what an idle callback throws.
        this.#hooks.run(id);
      }
    } finally {
      if (isTask) await this.#pass();
      this.#hooks.endCheck();
      this.#hooks.tidy();
    }
    return isTask;
  }

  // The ticks and microtasks of a task run. With a seed the task takes time, and callbacks of the
  // host may follow.
  async #pass() {
    const random = this.#random;
    this.#time += this.#lateness();
    const turns = random === undefined ? 1 : 1 + Math.floor(random.next() * MOST_TURNS);
    for (let i = 0; i < turns; i++) await this.#turnOfHost();
  }

  // With a seed, sometimes some nanoseconds.
  #lateness() {
    if (!this.#happens(LATE)) return 0;
    return Math.ceil(this.#random.next() * LATEST * NANOSECONDS_PER_MILLISECOND);
  }

  // Moves the clock to a time that has not passed, or later.
  async #moveTo(time) {
    const end = Math.max(this.#time, time) + this.#lateness();
    const passed = (end - this.#time) / NANOSECONDS_PER_MILLISECOND;
    this.#time = end;
    const isTimerFirst = !this.#happens(1 / 2);
    if (isTimerFirst) await this.#passOn(passed);
    if (this.#deadline >= 0 && this.#deadline <= this.#time) {
      this.#deadline = -1;
      this.#hooks.timer();
    }
    if (!isTimerFirst) {
      await this.run(0);
      await this.#passOn(passed);
    }
  }

  async #passOn(milliseconds) {
    if (milliseconds > 0 && this.#advanceTimers !== undefined) {
      await this.#advanceTimers(milliseconds);
    }
  }
}

module.exports = { TestClock };
