'use strict';

// The checkpoint pass: starts tasks as soon as the current callback has ended, also between two
// timers or immediates: Node runs all due timers in one callback of libuv, and all immediates in
// another, but ticks and microtasks after each of them. The binding decides which task may start,
// if any.
//
// A chain of rounds leads through Node's own queues:
// 1. A tick runs after the ticks that already wait.
// 2. A microtask that this tick queues runs after the microtasks that the earlier ticks queued.
// 3. A tick that this microtask queues runs once no microtask is left. It starts one task and goes
//    on with step 2, as the task's ticks run before that microtask anyway.
// So the ticks and microtasks of a task run before the next task. The chain ends with a round that
// finds no task; with that call, the binding measures the microtasks of the last task.

const { hasAsyncIds, nextTick, queueMicrotask } = require('./platform.js');
const { NO_TASK } = require('./protocol.js');

// Unlike `then`, `await` looks up no property that a program can replace. An own `constructor` on
// the promise would protect `then`, but then V8 slows every promise of the process.
async function tickAfterMicrotasks(callback) {
  await undefined;
  nextTick(callback);
}

// The same for hosts without async ids, where `queueMicrotask` takes a third of the time. In Node
// it takes as long as an async function.
function tickAfterMicrotask(callback) {
  queueMicrotask(() => nextTick(callback));
}

// Within a tick, calls a function as step 3 when the ticks and microtasks of the tick have run.
const tickAfter = hasAsyncIds ? tickAfterMicrotasks : tickAfterMicrotask;

// Calls a function when the ticks and microtasks of the current callback have run.
function afterCallback(callback) {
  nextTick(tickAfter, callback);
}

class Checkpoint {
  #next;
  #run;
  // The newest chain. Older ones end: a nested run of the loop inside a task can start a new chain
  // while the old one is under way.
  #chain;

  // `next` returns the id of the task to start, or NO_TASK. `run` starts it.
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
        tickAfter(startTask);
      }
    };
    this.#chain = startTask;
    afterCallback(startTask);
  }
}

module.exports = { Checkpoint, afterCallback, tickAfter };
