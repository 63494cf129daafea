'use strict';

// Checks whether the loop gives turns to a job: the first turn, and further ones. Time is counted
// in steps, so that a pause of the process, or of the loop by the job itself, counts as one step.

const internal = require('../internal.js');
const { scheduler } = require('../../index.js');

const { LONGEST_TIMER, setRepeated } = internal.time;

// The number of checks within the time that a job may go without a turn.
const STEPS = 10;

const ignore = () => {};

// Calls `look()` at each step of this time. Returns a function that ends this. Does not keep the
// process alive.
function every(milliseconds, look) {
  const interval = Math.min(Math.max(milliseconds / STEPS, 1), LONGEST_TIMER);
  return setRepeated(look, interval);
}

let monitor;

// Whether background work is held although the loop is idle.
function isHeld() {
  monitor ??= internal.watch.monitorTasks();
  return monitor.heldFor !== null;
}

// Waits for the first turn.
class FirstTurn {
  #endLooks;
  #steps = 0;

  // Calls `onNone()` once `busy` milliseconds have passed without end(), or `held` milliseconds
  // while background work is held.
  constructor({ busy, held }, onNone) {
    const whenHeld = STEPS * held / busy;
    this.#endLooks = every(busy, () => {
      this.#steps++;
      if (this.#steps < STEPS || (this.#steps < whenHeld && isHeld())) return;
      this.end();
      onNone();
    });
  }

  end() {
    this.#endLooks();
  }
}

// Waits for turns as long as the job runs, by its own background continuations: they run soon if
// the loop gives turns, even if the job has no continuation queued.
class Turns {
  #end;
  #endLooks;
  #isWaiting = false;
  #steps = 0;
  #onNone;

  // Calls `onNone()` once no turn has come for this many milliseconds.
  constructor(patience, onNone) {
    this.#onNone = onNone;
    if (patience !== Infinity) this.#endLooks = every(patience, this.#look);
  }

  end() {
    this.#endLooks?.();
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
