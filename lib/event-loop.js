'use strict';

// The environment's event loop as the rest of lib/ sees it: tasks go in, and are started when
// their turn has come. Owns the table from task ids to tasks and the queues of signals; knows
// nothing of promises, signals or options.
//
// A task is any object with `id`, `queue` and `start`: `start(task)` is called when it is its turn.

const binding = require('../binding.js');
const { Checkpoint } = require('./checkpoint.js');

const NOT_WAITING = -1;

// Entries that the table keeps when no task waits: it gives the memory of a flood back.
const KEPT_WHEN_EMPTY = 1024;

// Effective priorities of tasks; that of their continuations is one more.
const EFFECTIVE = { 'background': 0, 'user-visible': 2, 'user-blocking': 4 };

// The fixed queues are numbered from the lowest effective priority, that of idle callbacks.
const IDLE_QUEUE = 0;

const tasks = [];
let waiting = 0;

function run(id) {
  const task = tasks[id];
  if (task === undefined) return;
  forget(task);
  task.start(task);
}

const checkpoint = new Checkpoint(binding, run);
binding.start(run, {});

function forget(task) {
  tasks[task.id] = undefined;
  task.id = NOT_WAITING;
  if (task.queue !== undefined) task.queue.leave();
  if (--waiting === 0 && tasks.length > KEPT_WHEN_EMPTY) tasks.length = 0;
}

// The queue of all tasks (or continuations) whose priority is fixed.
function fixedQueue(priority, isContinuation) {
  return EFFECTIVE[priority] + (isContinuation ? 2 : 1);
}

// The queue of the tasks (or continuations) whose priority follows one signal. It exists in the
// binding while it has members: the binding removes it with the last one, and so does `leave`.
class SignalQueue {
  #isContinuation;
  #id = NOT_WAITING;
  #members = 0;

  constructor(isContinuation) {
    this.#isContinuation = isContinuation;
  }

  enter(priority) {
    if (this.#members === 0) this.#id = binding.createQueue(this.#effective(priority));
    this.#members++;
    return this.#id;
  }

  leave() {
    this.#members--;
  }

  setPriority(priority) {
    if (this.#members === 0) return;
    const needsCheckpoint = binding.setQueuePriority(this.#id, this.#effective(priority));
    if (needsCheckpoint) checkpoint.schedule();
  }

  #effective(priority) {
    return EFFECTIVE[priority] + (this.#isContinuation ? 1 : 0);
  }
}

// Posts a task to a fixed queue, by its number.
function post(task, queue, delay) {
  let id;
  if (delay > 0) {
    id = binding.postDelayed(queue, delay);
  } else {
    const posted = binding.post(queue);
    id = posted >>> 1;
    if (posted & 1) checkpoint.schedule();
  }
  task.id = id;
  tasks[id] = task;
  waiting++;
}

// Posts a task to the queue of a signal, whose priority is `priority` now.
function postToSignal(task, queue, priority, delay) {
  post(task, queue.enter(priority), delay);
  task.queue = queue;
}

// Removes a task that waits; one that does not is left alone.
function remove(task) {
  if (task.id === NOT_WAITING) return;
  binding.remove(task.id);
  forget(task);
}

// Milliseconds until something other than a task is runnable.
function timeToNext() {
  return binding.timeToNext();
}

// Sets how many milliseconds tasks may hold one turn of the loop.
function setTimeSlice(milliseconds) {
  binding.setTimeSlice(milliseconds);
}

module.exports = {
  IDLE_QUEUE,
  NOT_WAITING,
  SignalQueue,
  fixedQueue,
  post,
  postToSignal,
  remove,
  setTimeSlice,
  timeToNext,
};
