'use strict';

// The environment's event loop as the rest of lib/ sees it: tasks go in, and are started when
// their turn has come. Owns the table from task ids to tasks and the queues of signals; knows
// nothing of promises, signals or options.
//
// A task is a function, which is called when it is its turn, or an object with `start()`; one that
// can be removed before, or follows a signal, has `id` and `queue` as well.

require('./check-host.js');
const binding = require('../binding.js');
const { Checkpoint } = require('./checkpoint.js');
const { Outbox } = require('./outbox.js');

const NOT_WAITING = -1;

// The end of the list of free places.
const NO_PLACE = -1;

// The binding's limit.
const MAX_TASKS = 2 ** 30;

// No task's id: the check phase is over.
const CHECK_IS_OVER = 2 ** 30;

// Places that the table keeps when no task waits: it gives the memory of a flood back.
const KEPT_WHEN_EMPTY = 1024;

// Effective priorities of tasks.
const EFFECTIVE = { 'background': 0, 'user-visible': 2, 'user-blocking': 4 };

// The fixed queues are numbered from the lowest effective priority, that of idle callbacks. The
// same numbers rank the tasks of other queues, which are numbered from there on.
const IDLE_QUEUE = 0;
const FIXED_QUEUES = 7;

// How the binding is told of a queue and the rank of its tasks.
const RANKS = 8;

// The binding's limit.
const MAX_QUEUES = 2 ** 28;

// By id: a task, or the next free place.
const tasks = [];
let free = NO_PLACE;
let waiting = 0;

// Numbers of queues of signals that are not in use any more, and the first that never was.
const freeQueues = [];
let nextQueue = FIXED_QUEUES;

const outbox = new Outbox();
// Another context of the thread can have the same native module.
const environment = binding.start(run, {}, outbox.words);
const checkpoint = new Checkpoint(nextAtCheckpoint, run);

function nextAtCheckpoint() {
  return binding.nextAtCheckpoint(environment);
}

// What is set up for tasks and is to be taken down if it is still without any.
let unused = [];

function run(id) {
  if (id >= MAX_TASKS) {
    if (id === CHECK_IS_OVER) tidy();
    return;
  }
  const task = tasks[id];
  if (typeof task === 'function') {
    release(id);
    task();
  } else if (typeof task === 'object') {
    release(id);
    if (task.id !== undefined) leaveQueue(task);
    task.start();
  }
}

function add(task) {
  waiting++;
  if (free === NO_PLACE) return tasks.push(task) - 1;
  const id = free;
  free = tasks[id];
  tasks[id] = task;
  return id;
}

function release(id) {
  tasks[id] = free;
  free = id;
  if (--waiting === 0 && tasks.length > KEPT_WHEN_EMPTY) {
    tasks.length = 0;
    free = NO_PLACE;
  }
}

function leaveQueue(task) {
  task.id = NOT_WAITING;
  if (task.queue !== undefined) task.queue.leave();
}

function effectivePriority(priority, isContinuation) {
  return EFFECTIVE[priority] + (isContinuation ? 1 : 0);
}

// The queue of all tasks (or continuations) whose priority is fixed.
function fixedQueue(priority, isContinuation) {
  return effectivePriority(priority, isContinuation) + 1;
}

function takeQueue() {
  if (freeQueues.length > 0) return freeQueues.pop();
  if (nextQueue === MAX_QUEUES) throw new RangeError('Too many signals have tasks');
  return nextQueue++;
}

function giveQueueBack(id) {
  freeQueues.push(id);
  if (freeQueues.length > KEPT_WHEN_EMPTY && freeQueues.length === nextQueue - FIXED_QUEUES) {
    freeQueues.length = 0;
    nextQueue = FIXED_QUEUES;
  }
}

// The queue of the tasks (or continuations) whose priority follows one signal. It exists in the
// binding while it has members: the first one makes it, the binding removes it with the last one,
// and so does `leave`.
class SignalQueue {
  #isContinuation;
  #id = NOT_WAITING;
  #members = 0;

  constructor(isContinuation) {
    this.#isContinuation = isContinuation;
  }

  // Posts a task to the queue, whose priority is `priority` now.
  post(task, priority, delay) {
    // One that got no task, as posting threw, serves the next task.
    if (this.#id === NOT_WAITING) this.#id = takeQueue();
    const rank = fixedQueue(priority, this.#isContinuation);
    task.id = post(task, this.#id, rank, delay);
    task.queue = this;
    this.#members++;
  }

  leave() {
    if (--this.#members > 0) return;
    giveQueueBack(this.#id);
    this.#id = NOT_WAITING;
  }

  setPriority(priority) {
    if (this.#members === 0) return;
    const effective = effectivePriority(priority, this.#isContinuation);
    if (binding.setQueuePriority(environment, this.#id, effective)) checkpoint.schedule();
  }
}

// Calls `thing.tidy()` at the end of the next check phase. What tasks need one after the other, as
// the continuations of one signal do, is so set up once and not for each of them.
function tidyLater(thing) {
  if (thing.isUnused) return;
  thing.isUnused = true;
  if (unused.push(thing) === 1) outbox.askForEndOfCheck();
}

function tidy() {
  const things = unused;
  unused = [];
  for (const thing of things) {
    thing.isUnused = false;
    thing.tidy();
  }
}

// Posts a task to a queue of this rank. Returns the task's id.
function post(task, queue, rank, delay) {
  if (waiting >= MAX_TASKS) throw new RangeError('Too many tasks are waiting');
  const id = add(task);
  const destination = RANKS * queue + rank;
  if (delay > 0) {
    binding.postDelayed(environment, id, destination, delay);
  } else if (outbox.post(id, destination, rank)) {
    if (binding.attend(environment)) checkpoint.schedule();
  }
  return id;
}

// Posts a task to a fixed queue, by its number.
function postTask(task, queue, delay) {
  post(task, queue, queue, delay);
}

// The same with a task that can be removed.
function postRemovable(task, queue, delay) {
  task.id = post(task, queue, queue, delay);
}

// Removes a task that waits; one that does not is left alone. finishRemoval() is to follow.
function remove(task) {
  if (task.id === NOT_WAITING) return;
  if (outbox.remove(task.id)) finishRemoval();
  release(task.id);
  leaveQueue(task);
}

// What waited for tasks that were removed, such as the process, waits no longer.
function finishRemoval() {
  binding.finishRemoval(environment);
}

// Milliseconds until something other than a task is runnable.
function timeToNext() {
  return binding.timeToNext(environment);
}

// Sets how many milliseconds tasks may hold one turn of the loop.
function setTimeSlice(milliseconds) {
  binding.setTimeSlice(environment, milliseconds);
}

// Sets after how many milliseconds background tasks run as user-visible ones; Infinity: never.
function setBackgroundTimeout(milliseconds) {
  binding.setBackgroundTimeout(environment, milliseconds);
}

module.exports = {
  IDLE_QUEUE,
  NOT_WAITING,
  SignalQueue,
  finishRemoval,
  fixedQueue,
  postRemovable,
  postTask,
  remove,
  setBackgroundTimeout,
  setTimeSlice,
  tidyLater,
  timeToNext,
};
