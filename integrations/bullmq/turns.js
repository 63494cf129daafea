'use strict';

// Tells whether the loop gives turns to a job: its first one, and further ones. Time is counted in
// steps: when the process was stopped, or the job itself has held the loop, that is one step.

const { monitorTasks, scheduler } = require('../../index.js');
const { LONGEST_TIMER } = require('../../lib/loop/timers.js');

// How often it looks within the time that a job may go without a turn.
const STEPS = 10;

const ignore = () => {};

// Calls `look()` in steps of this time. It does not keep the process alive.
function every(milliseconds, look) {
  const interval = Math.min(Math.max(milliseconds / STEPS, 1), LONGEST_TIMER);
  return setInterval(look, interval).unref();
}

let monitor;

// Whether background work is held although the loop is idle, as far as the scheduler knows.
function isHeld() {
  monitor ??= monitorTasks();
  return monitor.heldFor !== null;
}

// Waits for the first turn.
class FirstTurn {
  #timer;
  #steps = 0;

  // Calls `onNone()` once `busy` milliseconds have passed without end(), or `held` milliseconds
  // while background work is held.
  constructor({ busy, held }, onNone) {
    const whenHeld = STEPS * held / busy;
    this.#timer = every(busy, () => {
      this.#steps++;
      if (this.#steps < STEPS || (this.#steps < whenHeld && isHeld())) return;
      this.end();
      onNone();
    });
  }

  end() {
    clearInterval(this.#timer);
  }
}

// Waits for turns as long as the job runs: a background continuation runs soon after it was queued
// while the loop gives turns, whether the job itself has one queued or waits for something else.
class Turns {
  #end;
  #timer;
  #isWaiting = false;
  #steps = 0;
  #onNone;

  // Calls `onNone()` once no turn has come for this many milliseconds.
  constructor(patience, onNone) {
    this.#onNone = onNone;
    if (patience !== Infinity) this.#timer = every(patience, this.#look);
  }

  end() {
    clearInterval(this.#timer);
    this.#end?.abort();
  }

  #look = () => {
    if (!this.#isWaiting) {
      this.#ask();
      return;
    }
    this.#steps++;
    if (this.#steps < STEPS) return;
    this.end();
    this.#onNone();
  };

  #ask() {
    this.#end ??= new AbortController();
    const { signal } = this.#end;
    this.#isWaiting = true;
    this.#steps = 0;
    const turn = scheduler.yield({ __proto__: null, priority: 'background', signal, ref: false });
    turn.then(() => {
      this.#isWaiting = false;
    }, ignore);
  }
}

module.exports = { FirstTurn, Turns };
