'use strict';

// The environment's event loop as the rest of lib/ sees it: tasks go in, and are started when
// their turn has come. It has the table from task ids to tasks and the queues of signals. It knows
// nothing of promises, signals or options.
//
// A task is a function, which is called when it is its turn, or an object with `start()`. One that
// can be removed before, or follows a signal, also has `id` and `queue`; its `start()` begins with
// leaveQueue().

const { loadBinding, startEnvironment } = require('./check-host.js');
const { Checkpoint } = require('./checkpoint.js');
const { IDLE_RANK, MAX_QUEUES, MAX_TASKS, NUMBERS, RANKS, RANK_BITS, RANK_OF } =
  require('./protocol.js');
const { Shared } = require('./shared.js');

const binding = loadBinding();

const NOT_WAITING = -1;

// The end of the list of free places.
const NO_PLACE = -1;

// Places that the table keeps when no task waits: it gives the memory of a flood back.
const KEPT_WHEN_EMPTY = 1024;

// By id: a task, or the next free place.
const tasks = [];
let free = NO_PLACE;
let waiting = 0;

// Ids of queues of signals that are not in use any more, and the first that never was. The ids
// below it are the ranks of the fixed queues.
const freeQueues = [];
let nextQueue = RANKS;

const shared = new Shared(flush);
// The binding calls the first two, and adds the functions that take nothing.
const calls = { runTask: run, endCheck: tidy };
// Another context of the thread can have the same native module.
const environment = startEnvironment(binding, calls, shared.words, new Uint32Array(NUMBERS));
const checkpoint = new Checkpoint(calls.nextAtCheckpoint, run);

function flush() {
  if (calls.flush() !== 0) checkpoint.schedule();
}

// What is set up for tasks and is to be taken down if it is still without any.
let unused = [];

function run(id) {
  // Called without a task, so that Node runs the ticks that an exception has left.
  if (id >= MAX_TASKS) return;
  const task = tasks[id];
  if (typeof task === 'number') return;
  release(id);
  if (typeof task === 'function') task();
  else task.start();
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

// Notes that a task has been taken from its queue.
function leaveQueue(task) {
  task.id = NOT_WAITING;
  if (task.queue !== undefined) task.queue.leave();
}

// The queue of all tasks (or continuations) whose priority is fixed; its id is their rank.
function fixedQueue(priority, isContinuation) {
  return RANK_OF[priority] + (isContinuation ? 1 : 0);
}

function takeQueue() {
  if (freeQueues.length > 0) return freeQueues.pop();
  if (nextQueue === MAX_QUEUES) throw new RangeError('Too many signals have tasks');
  return nextQueue++;
}

function giveQueueBack(id) {
  freeQueues.push(id);
  if (freeQueues.length > KEPT_WHEN_EMPTY && freeQueues.length === nextQueue - RANKS) {
    freeQueues.length = 0;
    nextQueue = RANKS;
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
    const rank = fixedQueue(priority, this.#isContinuation);
    if (binding.setQueuePriority(environment, this.#id, rank)) checkpoint.schedule();
  }
}

// Calls `thing.tidy()` at the end of the next check phase. What tasks need one after the other, as
// the continuations of one signal do, is so set up once and not for each of them.
function tidyLater(thing) {
  if (thing.isUnused) return;
  thing.isUnused = true;
  if (unused.push(thing) === 1) shared.askForEndOfCheck();
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
  const destination = (queue << RANK_BITS) + rank;
  if (delay > 0) {
    binding.postDelayed(environment, id, destination, delay);
  } else if (shared.post(id, destination, rank)) {
    flush();
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
  shared.remove(task.id);
  release(task.id);
  leaveQueue(task);
}

// What waited for tasks that were removed, such as the process, waits no longer.
function finishRemoval() {
  calls.finishRemoval();
}

// Milliseconds until something other than a task is runnable.
function timeToNext() {
  return binding.timeToNext(environment);
}

// Sets how many milliseconds tasks may hold one turn of the loop.
function setTimeSlice(milliseconds) {
  binding.setTimeSlice(environment, milliseconds);
}

// Sets after how many milliseconds queued work of these priorities is overdue; Infinity: never.
function setMaxWait(userVisible, background) {
  binding.setMaxWait(environment, userVisible, background);
}

module.exports = {
  IDLE_QUEUE: IDLE_RANK,
  NOT_WAITING,
  SignalQueue,
  finishRemoval,
  fixedQueue,
  leaveQueue,
  postRemovable,
  postTask,
  remove,
  setMaxWait,
  setTimeSlice,
  tidyLater,
  timeToNext,
};
