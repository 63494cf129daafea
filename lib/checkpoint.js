'use strict';

// The checkpoint drain: starts tasks as soon as the current callback has ended, between two timers
// or immediates as well. Owns the way there; which task may start, and whether any, is asked of
// the binding.
//
// A round comes back when the ticks and microtasks of the callback are done: the first tick runs
// behind the ticks that wait already, its microtask behind all microtasks, and the second tick
// when the microtasks have run dry. One task per round, so that the ticks and microtasks of a task
// run before the next one. A chain of rounds ends with one that finds no task: that is how the
// binding knows what the last task's microtasks have cost.

const NO_TASK = 0xffffffff;

class Checkpoint {
  #binding;
  #run;
  // Rounds of an earlier chain give way: a run of the loop from inside a task can start a new
  // chain while the old one is under way.
  #chain = 0;

  constructor(binding, run) {
    this.#binding = binding;
    this.#run = run;
  }

  schedule() {
    this.#chain = (this.#chain + 1) % NO_TASK;
    process.nextTick(this.#afterTicks, this.#chain);
  }

  #afterTicks = (chain) => {
    queueMicrotask(() => process.nextTick(this.#startTask, chain));
  };

  #startTask = (chain) => {
    if (chain !== this.#chain) return;
    const id = this.#binding.nextAtCheckpoint();
    if (id === NO_TASK) return;
    process.nextTick(this.#afterTicks, chain);
    this.#run(id);
  };
}

module.exports = { Checkpoint };
