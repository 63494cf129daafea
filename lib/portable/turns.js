'use strict';

// The driver for hosts without libuv, such as Bun and Deno: the turns of the loop are immediates,
// and between two tasks all ticks and microtasks run.
//
// The host tells neither ready I/O nor due timers. So a turn counts as quiet, and starts background
// work, if the immediate came almost at once: nothing else has run meanwhile. A message channel in
// place of immediates would starve timers for hundreds of turns.

const { clearTimeout } = require('node:timers');

const { afterCallback, tickAfter } = require('../loop/checkpoint.js');
const { foreignName, runTicks, setIsInTask } = require('../loop/platform.js');
const { NO_TASK } = require('../loop/protocol.js');
const { readNanoseconds, setImmediate, setTimer } = require('../loop/time.js');

const NANOSECONDS_PER_MILLISECOND = 1e6;

// Deno polls for I/O once in about sixty turns of immediates, and before each callback of a timer.
// So a turn comes by a timer there when turns have followed each other for so many nanoseconds.
const UNPOLLED = 6_000_000;

// The longest time in nanoseconds between two turns without other callbacks.
const QUIET = 100_000;

// After this time in nanoseconds without code of ours, the loop has turned.
const STALE = 1_000_000;

// The sleep in ms after which a loop is woken that no task keeps alive.
const WAKE_AFTER = 1;

// The same on Bun, while the loop is watched and no task runs.
const WATCHED_AFTER = 10;

const noTicks = () => false;

class Turns {
  #hooks;
  #isReferenced = false;
  #isAwake = false;
  // Whether a check pass is under way, which goes on behind ticks and microtasks.
  #isInPass = false;
  #isQuiet = false;
  #isInTask = false;
  // Whether code outside of tasks has asked whether to yield, in the callback that is under way.
  #isAsking = false;
  // Whether a task has run since the last turn began.
  #hasRun = false;
  // Whether the turn has had its check pass.
  #hasHadPass = false;
  // When a task, a pass, or a callback with a question has ended.
  #endedAt = 0;
  #immediate;
  // The time when the immediate was requested.
  #requestedAt = 0;
  // The last turn that came by a timer in place of an immediate, or the beginning of the series of
  // turns that is under way.
  #polledAt;
  #timer;
  // Wakes a loop that no task keeps alive.
  #waker;

  connect(hooks) {
    this.#hooks = hooks;
  }

  now() {
    return readNanoseconds();
  }

  isIoReady() {
    return false;
  }

  isBusy() {
    return !this.#isQuiet;
  }

  setIsInTask(isInTask) {
    if (this.#isInTask && !isInTask) this.#endedAt = this.now();
    this.#isInTask = isInTask;
    if (isInTask) this.#hasRun = true;
    setIsInTask(isInTask);
  }

  setReferenced(isReferenced) {
    this.#isReferenced = isReferenced;
    for (const handle of [this.#immediate, this.#timer]) this.#refer(handle);
    this.#wake();
  }

  setAwake(isAwake) {
    this.#isAwake = isAwake;
    if (isAwake && !this.#isInPass) this.#request();
    this.#wake();
  }

  setTimer(deadline) {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    if (deadline < 0) return;
    const time = Math.max(0, deadline - this.now());
    this.#timer = setTimer(this.#onTimer, Math.ceil(time / NANOSECONDS_PER_MILLISECOND));
    this.#refer(this.#timer);
  }

  // Makes sure that a turn comes, at whose end the package tidies up. While tasks are watched, each
  // turn requests the next one. Bun does not let the loop sleep while an immediate waits, not even
  // an unreferenced one, so behind a turn without tasks a timer begins the next turn there.
  requestTurn() {
    if (this.#isInPass) return;
    if (foreignName !== 'Bun' || this.#hasRun) this.#request();
    else this.#wakeAfter(WATCHED_AFTER, this.#request);
  }

  // The end of a callback may start a task. An unreferenced immediate waits while the loop sleeps,
  // so turns go by unseen, and the time slice of the last one would count as used. The slice of a
  // check pass does not count for the tasks that start behind it.
  beginCheckpoint() {
    if (this.#isInPass || this.#isInTask || this.#isAsking) return;
    if (this.#hasHadPass || this.now() - this.#endedAt > STALE) this.#beginTurn();
  }

  // Code asks whether to yield. While nothing is queued there are no turns, so one begins with the
  // first question of code outside of tasks.
  beginQuestion() {
    if (this.#isInPass || this.#isInTask || this.#isAsking) return;
    if (this.#immediate === undefined) this.#beginTurn();
    else this.beginCheckpoint();
    this.#isAsking = true;
    afterCallback(this.#endQuestions);
    this.#request();
  }

  #endQuestions = () => {
    this.#isAsking = false;
    this.#endedAt = this.now();
  };

  #beginTurn() {
    this.#hasHadPass = false;
    this.#hooks.prepare();
    this.#hooks.beginCheck();
    this.#hooks.endCheck();
  }

  #refer(handle) {
    if (this.#isReferenced) handle?.ref();
    else handle?.unref();
  }

  #onTimer = () => {
    this.#timer = undefined;
    this.#hooks.timer();
    this.#stayAwake();
  };

  // In Node, unlike in Bun and Deno, an unreferenced immediate waits while the loop sleeps, so an
  // unreferenced timer wakes the loop.
  #wake() {
    if (this.#isUnreferenced) this.#wakeAfter(WAKE_AFTER, this.#stayAwake);
  }

  // Calls a function after `ms`, unless a timer waits already.
  #wakeAfter(ms, call) {
    if (this.#waker !== undefined) return;
    this.#waker = setTimer(() => {
      this.#waker = undefined;
      call();
    }, ms).unref();
  }

  // A timer has woken the loop. Only without further sleep does the next turn show whether it is
  // quiet.
  #stayAwake = () => {
    if (!this.#isUnreferenced) return;
    this.#requestedAt = this.now();
    this.#immediate.ref();
  };

  // Whether a turn is requested for tasks that do not keep the process alive, and may not come.
  get #isUnreferenced() {
    if (foreignName !== undefined || !this.#isAwake || this.#isReferenced) return false;
    return this.#immediate !== undefined;
  }

  #request = () => {
    if (this.#immediate !== undefined) return;
    this.#requestedAt = this.now();
    this.#polledAt ??= this.#requestedAt;
    const isPollDue = foreignName === 'Deno' && this.#requestedAt - this.#polledAt > UNPOLLED;
    this.#immediate = isPollDue ? setTimer(this.#turnByTimer, 0) : setImmediate(this.#turn);
    this.#refer(this.#immediate);
  };

  #turnByTimer = () => {
    this.#polledAt = this.now();
    this.#turn();
  };

  #turn = () => {
    this.#immediate = undefined;
    this.#hasRun = false;
    this.#isQuiet = this.now() - this.#requestedAt < QUIET;
    this.#isInPass = true;
    this.#hooks.prepare();
    this.#hooks.beginCheck();
    // Starts the tasks here if the host runs their ticks and microtasks on request.
    while (this.#step(afterCallback, runTicks));
  };

  // Starts the next task of the pass, and then calls `finish`. Returns, as `finish` does, whether
  // the ticks and microtasks of the task have run. If not, the pass goes on when they have:
  // `after` calls a function then. An exception of the task is reported by the host, and the pass
  // goes on.
  #step(after, finish) {
    const id = this.#hooks.nextInCheck();
    this.setIsInTask(id !== NO_TASK);
    if (id === NO_TASK) {
      this.#end();
      return false;
    }
    let haveTicksRun = false;
    try {
      this.#hooks.run(id);
      haveTicksRun = finish();
    } finally {
      if (!haveTicksRun) after(this.#stepInTick);
    }
    return haveTicksRun;
  }

  #stepInTick = () => this.#step(tickAfter, noTicks);

  #end() {
    this.#hooks.endCheck();
    this.#isInPass = false;
    this.#hasHadPass = true;
    this.#hooks.tidy();
    if (!this.#isAwake) {
      this.#polledAt = undefined;
      return;
    }
    this.#request();
    this.#wake();
  }
}

module.exports = { Turns };
