'use strict';

// The running tasks: from the start of the callback until the promise settles, not until the
// callback returns. Counts and lists them, and finds the one that the running code belongs to.

const { AsyncLocalStorage } = require('node:async_hooks');
const { tidyLater } = require('../loop/event-loop.js');
const { observers } = require('../loop/observers.js');
const { Ring, unlink } = require('../loop/ring.js');
const { isOfTask, learn } = require('./scheduling-state.js');

// The tasks whose callbacks are being called: more than one in nested runs of the loop.
const called = [];

// The tasks of one event loop that wait for thenables.
class PendingTasks extends Ring {
  // The number of referenced ones.
  unsettled = 0;
  // Whether the event loop is that of a test, whose end names all tasks that have not settled. So
  // they stay in memory, as during a drain.
  #isOfTest;

  constructor(isOfTest) {
    super();
    this.#isOfTest = isOfTest;
  }

  // Whether the records keep their tasks alive.
  get areKept() {
    return this.#isOfTest || observers.drain !== undefined;
  }
}

// Those of the current event loop; see setAside().
let own = new PendingTasks(false);

// A task that waits for the thenable that its callback returned. Only the thenable keeps the task
// alive: if the thenable is collected, the task can never settle.
class Pending {
  previous = undefined;
  next = undefined;
  isReferenced;
  #home = own;
  #task;
  #reference;
  #flow;

  constructor(task, flow) {
    this.isReferenced = task.isReferenced;
    this.#task = task;
    this.#flow = flow;
  }

  get task() {
    return this.#task ?? this.#reference?.deref();
  }

  // Makes the reference to the task weak. Returns false if it already is.
  weaken() {
    if (this.#task === undefined) return false;
    if (this.#reference === undefined) {
      this.#reference = new WeakRef(this.#task);
      collected.register(this.#task, this, this);
    }
    this.#task = undefined;
    return true;
  }

  // Keeps the task alive until weaken() is called.
  keep() {
    this.#task = this.task;
  }

  leave() {
    unlink(this);
    if (this.isReferenced) this.#home.unsettled--;
    if (this.#reference !== undefined) collected.unregister(this);
    this.#task = undefined;
    if (observers.released !== undefined) observers.released();
  }

  // The task was collected, so it never settles.
  end() {
    this.leave();
    this.#flow?.end(false);
  }
}

const collected = new FinalizationRegistry((pending) => pending.end());

// Weak references are slow to make, so tasks that settle in this turn of the loop get none. The
// newest are at the end of the ring.
const newest = {
  isUnused: false,
  tidy() {
    if (own.areKept) return;
    let pending = own.previous;
    while (pending !== own && pending.weaken()) pending = pending.previous;
  },
};

// Carries each task along its chain. Undefined until currentTask() is called, as it slows every
// task.
let carriedTasks;

// Calls `run`, which calls the callback of a task, in the async scope of the task.
function call(task, run) {
  called.push(task);
  try {
    task.runInAsyncScope(run, task);
  } finally {
    called.pop();
    if (observers.released !== undefined) observers.released();
  }
}

// The task whose callback is being called, the innermost one in nested runs of the loop.
function innermost() {
  return called.at(-1);
}

// Carries a task along its chain from now on, if currentTask() was called before.
function carry(task) {
  if (carriedTasks === undefined) return;
  carriedTasks.enterWith(task);
  learn();
}

// Adds a task that waits for a thenable. Returns its record. `flow` is the Flow that ends with the
// task, if any.
function add(task, flow) {
  const pending = new Pending(task, flow);
  own.push(pending);
  if (task.isReferenced) own.unsettled++;
  tidyLater(newest);
  return pending;
}

// The number of running tasks that onIdle() and drain() wait for. A rejected task does not count,
// even if its callback still runs.
function count() {
  let count = own.unsettled;
  for (const task of called) {
    if (task.isReferenced && task.resolve !== undefined) count++;
  }
  return count;
}

// Calls `visit(task)` for all running tasks.
function visit(visit) {
  for (const task of called) {
    if (task.resolve !== undefined) visit(task);
  }
  for (let pending = own.next; pending !== own; pending = pending.next) {
    const { task } = pending;
    if (task !== undefined && !called.includes(task)) visit(task);
  }
}

// Keeps all running tasks in memory while the drain that has just begun is under way, so that
// discard() can reject their promises.
function keep() {
  for (let pending = own.next; pending !== own; pending = pending.next) pending.keep();
}

// The drain has ended.
function letGo() {
  tidyLater(newest);
}

// Begins without running tasks, for the event loop of a test. The returned function ends this.
function setAside() {
  const before = own;
  own = new PendingTasks(true);
  return () => {
    own = before;
    tidyLater(newest);
  };
}

// Rejects the promises of all running tasks except the given ones. The rejections count as handled.
function discard(others, reason) {
  for (const task of called) {
    if (!others.has(task)) task.discard(reason);
  }
  for (let pending = own.next; pending !== own;) {
    const { next, task } = pending;
    if (!others.has(task)) {
      pending.leave();
      task?.discard(reason);
    }
    pending = next;
  }
  if (observers.released !== undefined) observers.released();
}

// The task that the running code belongs to, if known: during the call of its callback, and for
// tasks that start after the first call of this function, in their whole chain. As for the
// scheduling state, timers and I/O callbacks that a task starts do not belong to the task.
function currentTask() {
  const task = innermost();
  if (carriedTasks === undefined) {
    carriedTasks = new AsyncLocalStorage();
    if (task !== undefined) carry(task);
  }
  if (task !== undefined) return task;
  const carried = carriedTasks.getStore();
  return isOfTask(carried) ? carried : undefined;
}

module.exports = {
  add, call, carry, count, currentTask, discard, innermost, keep, letGo, setAside, visit,
};
