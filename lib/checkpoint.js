'use strict';

// The checkpoint drain: starts tasks as soon as the current callback has ended, between two timers
// or immediates as well. Owns the way there; which task may start, and whether any, is asked of
// the binding.
//
// The way leads through the host's own queues: a tick runs behind the ticks that wait already, a
// microtask of it behind the microtasks that they left, and a tick of that one when the microtasks
// have run dry. There one task is started, and the next round begins: a microtask again, as the
// task's ticks run before it anyway. So the ticks and microtasks of a task run before the next one.
// A chain of rounds ends with one that finds no task: that is how the binding knows what the last
// task's microtasks have cost.

const { Promise, nextTick, then } = require('./intrinsics.js');
const { NO_TASK } = require('./protocol.js');

const resolved = Promise.resolve();
// So that a reaction to it asks no class of the program for the promise that it makes.
Object.defineProperty(resolved, 'constructor', { __proto__: null, value: undefined });

class Checkpoint {
  #next;
  #run;
  // A chain that is not the last one gives way: a run of the loop from inside a task can start a
  // new chain while the old one is under way.
  #chain;

  // `next` takes the task that a round starts, or gives NO_TASK.
  constructor(next, run) {
    this.#next = next;
    this.#run = run;
  }

  schedule() {
    const startTask = () => {
      if (this.#chain !== startTask) return;
      const id = this.#next();
      if (id === NO_TASK) return;
      try {
        this.#run(id);
      } finally {
        then(resolved, afterMicrotasks);
      }
    };
    const afterMicrotasks = () => nextTick(startTask);
    this.#chain = startTask;
    nextTick(() => then(resolved, afterMicrotasks));
  }
}

module.exports = { Checkpoint };
