'use strict';

// The tasks that run: from the start of the callback until the promise settles, not until the
// callback returns. Knows how many there are, which they are, and which of them the running code
// belongs to.

const { AsyncLocalStorage } = require('node:async_hooks');
const { tidyLater } = require('../loop/event-loop.js');
const { observers } = require('../loop/observers.js');
const { Ring, unlink } = require('../loop/ring.js');
const { isOfTask } = require('./scheduling-state.js');

// The tasks whose callbacks are being called: more than one in nested runs of the loop.
const called = [];

// A task whose callback has returned a thenable, and which waits for it. The thenable alone keeps
// the task alive: one that is collected will never settle, and its task neither.
class Place {
  previous = undefined;
  next = undefined;
  isReferenced;
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

  // Refers to the task weakly from now on. Returns false if it does so already.
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
    if (this.isReferenced) unsettled--;
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

const collected = new FinalizationRegistry((place) => place.end());

const ring = new Ring();

// Weak references are slow to make, so tasks that settle in this turn of the loop get none. The
// newest places are at the end of the ring.
const newest = {
  isUnused: false,
  tidy() {
    if (areKept) return;
    let place = ring.previous;
    while (place !== ring && place.weaken()) place = place.previous;
  },
};

// Whether places keep their tasks alive.
let areKept = false;

// The number of referenced tasks in the ring.
let unsettled = 0;

// Carries each task along its chain. Undefined until currentTask() is called, as it slows every
// task.
let carriedTasks;

// Calls `run` in the async scope of a task whose callback it calls.
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

// Carries a task along its chain from here on, if currentTask() was called before.
function carry(task) {
  carriedTasks?.enterWith(task);
}

// Adds a task that waits for a thenable. Returns its place. `flow` is the Flow that ends with the
// task, if one does.
function add(task, flow) {
  const place = new Place(task, flow);
  ring.push(place);
  if (task.isReferenced) unsettled++;
  tidyLater(newest);
  return place;
}

// The number of tasks that run and that somebody may wait for. One that was given up runs no more,
// even if its callback goes on.
function count() {
  let count = unsettled;
  for (const task of called) {
    if (task.isReferenced && task.resolve !== undefined) count++;
  }
  return count;
}

// Calls `visit(task)` for all tasks that run.
function visit(visit) {
  for (const task of called) {
    if (task.resolve !== undefined) visit(task);
  }
  for (let place = ring.next; place !== ring; place = place.next) {
    const { task } = place;
    if (task !== undefined && !called.includes(task)) visit(task);
  }
}

// Keeps all tasks that run alive until letGo() is called, so that discard() can reject their
// promises.
function keep() {
  areKept = true;
  for (let place = ring.next; place !== ring; place = place.next) place.keep();
}

function letGo() {
  areKept = false;
  tidyLater(newest);
}

// Rejects the promises of all tasks that run, but of those in a set. The rejections count as
// handled.
function discard(others, reason) {
  for (const task of called) {
    if (!others.has(task)) task.discard(reason);
  }
  for (let place = ring.next; place !== ring;) {
    const { next, task } = place;
    if (!others.has(task)) {
      place.leave();
      task?.discard(reason);
    }
    place = next;
  }
  if (observers.released !== undefined) observers.released();
}

// The task that the running code belongs to, if it is known: while a callback is called, and from
// the first question on, in the whole chain of tasks that have started since. As for the scheduling
// state, the timers and I/O callbacks that a task starts do not belong to it.
function currentTask() {
  const task = innermost();
  if (carriedTasks === undefined) {
    carriedTasks = new AsyncLocalStorage();
    if (task !== undefined) carriedTasks.enterWith(task);
  }
  return task ?? (isOfTask() ? carriedTasks.getStore() : undefined);
}

module.exports = { add, call, carry, count, currentTask, discard, innermost, keep, letGo, visit };
