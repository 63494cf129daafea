'use strict';

// The driver of the test scheduler: a clock that moves only when the test moves it or code spends
// time, and turns of the loop that run only then.
//
// With a seed the driver varies everything that the contract leaves open: how long a task takes,
// how late the loop wakes up, whether I/O is ready or other work is runnable, how many other
// callbacks come between two tasks, and whether timers come before delayed tasks that are due.

const { internal } = require('./package.js');
const { timeToNextTimer } = require('./fake-timers.js');
const { OwnTimers } = require('./own-timers.js');
const { Random } = require('./random.js');

const { NO_TASK } = internal;
const { nextTick } = internal.platform;
const { NANOSECONDS_PER_MILLISECOND, idleTime, readNanoseconds, turnsOfLoop } = internal.time;

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

// How the clock moves over fake timers whose deadlines are unknown: by 1 ms, or, if nothing has
// started for a long time, by this part of that time.
const STEP = NANOSECONDS_PER_MILLISECOND;
const LONG_STEP = 1 / 1000;

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
  // The time of the test, and the next deadline, in nanoseconds since the origin.
  #time = 0;
  #deadline = -1;
  #isReferenced = false;
  // The time of the test up to which the fake timers have been moved.
  #timersAt = 0;
  // The number of tasks that the call under way has started, and the time of the last one.
  #started = 0;
  #startedAt = 0;
  #countQueued;
  // Nanoseconds for which the loop has waited, and the number of its turns: those of the host, and
  // of the test.
  #idle = idleTime();
  #turns = turnsOfLoop() ?? 0;
  #own = new OwnTimers();

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
    return this.#own.hasTurns || this.#isTimerDue || this.#happens(READY);
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

  // The source of time of the package: see lib/loop/time.js.
  get source() {
    return {
      now: () => this.now(),
      idle: () => this.#idle,
      turns: () => this.#turns,
      setTimer: (callback, milliseconds) => {
        return this.#own.set(callback, this.#time + milliseconds * NANOSECONDS_PER_MILLISECOND);
      },
      setTurn: (callback) => this.#own.setTurn(callback),
      left: () => this.#own.left,
    };
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

  // A call of the test begins.
  begin() {
    this.#started = 0;
    this.#startedAt = this.#time;
  }

  // The running code takes so many milliseconds.
  spend(milliseconds) {
    this.#time += Math.round(milliseconds * NANOSECONDS_PER_MILLISECOND);
  }

  // Starts all queued entries of this rank or above, until none is left, and the callbacks that
  // become due meanwhile.
  async run(lowest) {
    let empty = 0;
    // Code of the test may still be in its ticks and microtasks.
    await this.#turnOfHost();
    while (this.#hasWork(lowest)) {
      if (await this.#turn(lowest)) empty = 0;
      else if (++empty > MOST_EMPTY_TURNS) throw this.#explain('no queued task may start');
    }
  }

  // Moves the time, and starts what is due meanwhile.
  async advance(milliseconds) {
    const target = this.#time + milliseconds * NANOSECONDS_PER_MILLISECOND;
    await this.#moveWhile(() => this.#time < target || this.#nextDeadline <= target, target);
  }

  // Starts everything that is queued or delayed, until nothing is left that keeps a process alive.
  async runAll() {
    await this.#moveWhile(() => this.#isReferenced && this.#deadline >= 0, Infinity);
  }

  #hasWork(lowest) {
    return this.#countQueued(lowest) > 0 || this.#own.hasTurns || this.#own.next <= this.#time;
  }

  async #moveWhile(isGoingOn, limit) {
    await this.run(0);
    while (isGoingOn()) {
      await this.#moveTo(Math.min(this.#nextDeadline, this.#nextTimer(), limit));
      await this.#runDue(0);
      if (!isGoingOn()) await this.run(0);
    }
  }

  // Starts what is queued after a move of the time. A tick that is queued in a microtask runs when
  // there are no more microtasks; a turn of the host would take a hundred times as long.
  async #runDue(lowest) {
    await new Promise((resolve) => nextTick(resolve));
    if (this.#hasWork(lowest)) await this.run(lowest);
  }

  get #nextDeadline() {
    return Math.min(this.#deadline < 0 ? Infinity : this.#deadline, this.#own.next);
  }

  // The time to which the fake timers move next, so that what a timer posts starts before the
  // timers behind it.
  #nextTimer() {
    if (this.#advanceTimers === undefined) return Infinity;
    const time = timeToNextTimer();
    if (time !== undefined) {
      // A timer may be due, and post another one that is.
      return this.#timersAt + Math.max(STEP, time * NANOSECONDS_PER_MILLISECOND);
    }
    const steps = Math.floor((this.#timersAt - this.#startedAt) * LONG_STEP / STEP);
    return this.#timersAt + Math.max(1, steps) * STEP;
  }

  // Whether the running code has spent the time up to the next timer.
  get #isTimerDue() {
    if (this.#own.next <= this.#time) return true;
    return this.#timersAt < this.#time && this.#nextTimer() <= this.#time;
  }

  #happens(probability) {
    return this.#random?.chance(probability) ?? false;
  }

  #turnOfHost() {
    return new Promise((resolve) => this.#immediate(resolve));
  }

  // Runs a turn of the loop: a check phase, and what its tasks have made due. Returns whether
  // anything has started.
  async #turn(lowest) {
    const before = this.#started;
    this.#beginTurn();
    try {
      while (this.#countQueued(lowest) > 0) {
        this.#checkMost();
        const id = this.#hooks.nextInCheck();
        if (id === NO_TASK) break;
        await this.#start(id);
      }
    } finally {
      this.#endTurn();
    }
    const hasTurned = this.#own.turn();
    if (hasTurned) await this.#turnOfHost();
    const isTimerDue = this.#isTimerDue;
    if (isTimerDue) await this.#moveTimers(lowest);
    return hasTurned || isTimerDue || this.#started > before;
  }

  #beginTurn() {
    this.#turns++;
    this.#hooks.prepare();
    this.#hooks.beginCheck();
  }

  #endTurn() {
    this.#hooks.endCheck();
    this.#hooks.tidy();
  }

  #checkMost() {
    if (this.#started < this.#maxTasks) return;
    throw this.#explain(
      `${this.#maxTasks} tasks and continuations were started (maxTasks), and more are queued`,
    );
  }

  async #start(id) {
    this.#started++;
    this.#startedAt = this.#time;
    try {
      // Throws what an idle callback throws.
      this.#hooks.run(id);
    } finally {
      await this.#runTicks();
    }
  }

  // The ticks and microtasks of a task run. With a seed the task takes time, and callbacks of the
  // host may follow.
  async #runTicks() {
    const random = this.#random;
    this.#time += this.#lateness();
    const turns = random === undefined ? 1 : 1 + Math.floor(random.next() * MOST_TURNS);
    for (let i = 0; i < turns; i++) await this.#turnOfHost();
  }

  // The nanoseconds by which the clock is late: with a seed, sometimes more than 0.
  #lateness() {
    if (!this.#happens(LATE)) return 0;
    return Math.ceil(this.#random.next() * LATEST * NANOSECONDS_PER_MILLISECOND);
  }

  // Moves the clock to a time that has not passed, or later: the loop waits, and then turns.
  async #moveTo(time) {
    const from = this.#time;
    this.#time = Math.max(this.#time, time) + this.#lateness();
    this.#idle += this.#time - from;
    this.#beginTurn();
    this.#endTurn();
    const isTimerFirst = !this.#happens(1 / 2);
    if (isTimerFirst) await this.#moveTimers(0);
    if (this.#deadline >= 0 && this.#deadline <= this.#time) {
      this.#deadline = -1;
      this.#hooks.timer();
    }
    if (!isTimerFirst) {
      await this.run(0);
      await this.#moveTimers(0);
    }
  }

  // Moves the timers to the time of the clock. If the clock is late, more than one is due.
  async #moveTimers(lowest) {
    this.#own.fire(() => this.#time);
    if (this.#advanceTimers === undefined) return;
    while (this.#timersAt < this.#time) {
      const next = Math.min(this.#nextTimer(), this.#time);
      const passed = (next - this.#timersAt) / NANOSECONDS_PER_MILLISECOND;
      this.#timersAt = next;
      await this.#advanceTimers(passed);
      if (next < this.#time) await this.#runDue(lowest);
    }
  }
}

module.exports = { TestClock };
