'use strict';

// The environment's event loop, as the rest of lib/ sees it: takes tasks and starts each when the
// binding says so. Owns the table of tasks by id.
//
// A task is a function, called to start it, or an object with `start()`. A task that can be
// removed or follows a signal also has `id` and `queue`, which are undefined on other objects.

const { NOBODY, lastAdvice } = require('./advice.js');
const { BACKLOG, isBacklogFound } = require('./backlog.js');
const { fileOfBinding, loadBinding, startEnvironment } = require('../loading/host.js');
const { Checkpoint } = require('./checkpoint.js');
const { observers } = require('./observers.js');
const { runTicksInCallback } = require('./platform.js');
const {
  ASK,
  BEGUN,
  CODE_FLOW,
  CODE_RANK,
  IDLE_RANK,
  MAX_TASKS,
  NO_TASK,
  NUMBERS,
  OTHER_CODE,
  RANK_BITS,
  RANK_OF,
  TELL,
  UNREFERENCED,
} = require('./protocol.js');
const { Shared } = require('./shared.js');

const NOT_WAITING = -1;

// The id of a task that has left its queue and can still be removed.
const STARTING = -2;

// The end of the list of free ids.
const NO_PLACE = -1;

// A longer table is emptied when none of its entries is in use, to release its memory.
const KEPT_WHEN_EMPTY = 1024;

// By id: a task, or the next free id.
const tasks = [];
let free = NO_PLACE;
let waiting = 0;

// From this number of waiting tasks on, post() calls check().
let mostUnchecked = BACKLOG;

// Ids that onIdle() and drain() ignore: unreferenced entries, idle callbacks, internal timers.
const uncounted = new Set();

// All that belongs to one binding, besides the waiting entries and their ids: `environment` is a
// number, as several contexts of a thread share the native module. A test scheduler replaces the
// parts for a while; see attach().
let parts = open(loadBinding());
// The same, as most calls need one of these.
let { calls, shared } = parts;

function open(opened) {
  // The binding calls `endCheck` and one of the other two, and adds its own that take no arguments.
  const added = { runTask: run, runTasks: (first) => runAll(first, added), endCheck: tidy };
  const own = {
    binding: opened,
    calls: added,
    shared: new Shared(() => flush(own)),
    environment: 0,
    ask: (question, about = 0) => opened.ask(own.environment, question, about),
    tell(change, what, ...operands) {
      own.shared.tell(change, what, ...operands);
      flush(own);
    },
    // A chain that is under way goes on with its own binding.
    checkpoint: new Checkpoint(() => nextAtCheckpoint(added), run),
    flows: undefined,
  };
  const { words } = own.shared;
  own.environment = startEnvironment(opened, added, words, new Uint32Array(NUMBERS));
  return own;
}

// Makes another binding the event loop, whose tasks start only when its driver runs them. No entry
// may wait, neither now nor when the returned function, which restores the loop, is called.
function attach(other) {
  const own = parts;
  const opened = open(other);
  // Checkpoints would start tasks that the driver does not run.
  opened.checkpoint = { schedule() {} };
  use(opened);
  return () => use(own);
}

function use(used) {
  parts = used;
  ({ calls, shared } = parts);
  forgetAdvice();
  // The request was made to the other binding.
  if (unused.length > 0) askForEndOfCheck();
}

function flush(own) {
  if (own.calls.flush() !== 0) own.checkpoint.schedule();
}

// The objects that were passed to tidyLater() since the last check phase.
let unused = [];

function run(id) {
  lastAdvice.code = NOBODY;
  lastAdvice.awaitsEnd = false;
  if (observers.ledger !== undefined) observers.ledger.edge();
  const task = tasks[id];
  if (observers.watch !== undefined) {
    runWatched(task, id);
  } else if (typeof task === 'function') {
    begin(id);
    task();
  } else if (typeof task === 'object') {
    begin(id);
    if (task.id !== undefined) leaveQueue(task);
    task.start();
  }
}

// Runs a task of the check pass and, if its ticks and microtasks can run here, those that follow.
// Otherwise they run when the function has returned, and the binding calls it again.
function runAll(first, own) {
  let id = first;
  do run(id);
  while (runTicksInCallback() && (id = own.nextInCheck()) !== NO_TASK);
}

function runWatched(task, id) {
  if (!isEntry(task)) return;
  const isRemovable = typeof task === 'object' && task.id !== undefined;
  // The end of a script can have cut short the first attempt.
  if (isRemovable && task.id !== STARTING) leaveQueue(task, STARTING);
  // Calls code that hears of the end of the step before, and that may remove the task.
  observers.watch.endStep();
  const { watch } = observers;
  if (isRemovable && task.id !== STARTING) {
    watch?.removed(task, id);
    begin(id);
    return;
  }
  watch?.begin(task, id);
  try {
    begin(id);
    if (isRemovable) task.id = NOT_WAITING;
    if (typeof task === 'function') task();
    else task.start();
  } finally {
    watch?.returned();
  }
}

function nextAtCheckpoint(own) {
  const id = own.nextAtCheckpoint();
  if (id === NO_TASK && observers.watch !== undefined) observers.watch.endRound();
  return id;
}

function add(task) {
  let id = free;
  if (id === NO_PLACE) {
    id = tasks.push(task) - 1;
  } else {
    free = tasks[id];
    tasks[id] = task;
  }
  waiting++;
  return id;
}

// A task begins. There is no call in between, as the end of a script can cut it short at a call.
function begin(id) {
  tasks[id] = free;
  free = id;
  shared.words[BEGUN]++;
  released(id);
}

function release(id) {
  tasks[id] = free;
  free = id;
  released(id);
}

function released(id) {
  if (uncounted.size > 0) uncounted.delete(id);
  if (--waiting === 0 && tasks.length > KEPT_WHEN_EMPTY) {
    tasks.length = 0;
    free = NO_PLACE;
    if (observers.watch !== undefined) observers.watch.emptied();
  }
  if (observers.released !== undefined) observers.released();
}

// The terms of a post: the time in ms after which the task is queued, the task's own bound in ms,
// undefined without one, and whether the task keeps the process alive.
class Terms {
  delay;
  maxWait;
  isReferenced;

  constructor(delay, maxWait, isReferenced) {
    this.delay = delay;
    this.maxWait = maxWait;
    this.isReferenced = isReferenced;
  }
}

const USUAL_TERMS = new Terms(0, undefined, true);

// A waiting entry that is not a task, and that onIdle() and drain() ignore: an idle callback, or a
// timer of the package.
class Internal {
  id = NOT_WAITING;
  queue = undefined;
  // Starts it.
  start;

  constructor(start) {
    this.start = start;
  }

  // Posts it to a fixed queue.
  post(queue, delay, isReferenced) {
    postRemovable(this, queue, new Terms(delay, undefined, isReferenced));
    uncounted.add(this.id);
  }
}

// Members that only tasks have are undefined here, even if `Object.prototype` has such names.
Object.setPrototypeOf(Internal.prototype, null);

// Notes that a task has left its queue.
function leaveQueue(task, id = NOT_WAITING) {
  const { queue } = task;
  task.id = id;
  if (queue === undefined) return;
  task.queue = undefined;
  queue.leave();
}

// The queue of all tasks (or continuations) with this fixed priority. Its id is their rank.
function fixedQueue(priority, isContinuation) {
  return RANK_OF[priority] + (isContinuation ? 1 : 0);
}

// The flows and the keys of the binding. Loaded with the first flow.
function flows() {
  return parts.flows ??= new (require('./flows.js').Flows)(parts, KEPT_WHEN_EMPTY);
}

// Drops the last result of shouldYield(), as a priority has changed.
function forgetAdvice() {
  lastAdvice.code = NOBODY;
}

// Calls `thing.tidy()` at the end of the next check phase, which lets consecutive tasks of a signal
// share one listener.
function tidyLater(thing) {
  if (thing.isUnused) return;
  thing.isUnused = true;
  if (unused.push(thing) === 1) askForEndOfCheck();
}

function tidy() {
  const things = unused;
  unused = [];
  for (const thing of things) {
    thing.isUnused = false;
    thing.tidy();
  }
  if (observers.watch !== undefined) observers.watch.endCheck();
}

// Makes the binding call tidy() at the end of the next check phase.
function askForEndOfCheck() {
  // A binding whose hooks rest has no check phase else.
  if (shared.askForEndOfCheck()) flush(parts);
}

// Throws if the table is full, and warns of a growing backlog of background tasks.
function check(task, rank) {
  if (waiting >= MAX_TASKS) throw new RangeError('Too many tasks are waiting');
  if (isBacklogFound(() => ask(ASK.QUEUED), tasks, task, rank)) mostUnchecked = MAX_TASKS;
}

// Posts a task to a queue that has this rank, and returns its id.
function post(task, queue, rank, terms) {
  const { delay, maxWait, isReferenced } = terms;
  if (waiting >= mostUnchecked) check(task, delay > 0 ? undefined : rank);
  lastAdvice.repeats = 0;
  const id = add(task);
  const marked = isReferenced ? id : id + UNREFERENCED;
  const destination = (queue << RANK_BITS) + rank;
  let isPosted = false;
  try {
    let mustFlush = true;
    if (delay > 0 || maxWait !== undefined) {
      shared.tell(TELL.POST_ON_TERMS, marked, destination, delay, maxWait ?? NaN);
    } else {
      mustFlush = shared.post(marked, destination, rank);
    }
    isPosted = true;
    if (!isReferenced) uncounted.add(id);
    if (mustFlush) flush(parts);
  } catch (error) {
    // Inlined, as a call could overflow the stack again.
    if (!isPosted) {
      tasks[id] = free;
      free = id;
      waiting--;
    }
    throw error;
  }
  if (observers.watch !== undefined) observers.watch.queued(id, rank, delay);
  return id;
}

// Posts a task that can be removed to a fixed queue.
function postRemovable(task, queue, terms) {
  task.id = post(task, queue, queue, terms);
}

// The number of waiting tasks and continuations that onIdle() and drain() wait for.
function countWaiting() {
  return waiting - uncounted.size;
}

// Whether onIdle() and drain() wait for the waiting entry with this id.
function isCounted(id) {
  return !uncounted.has(id);
}

// Asks the binding a question. Each is explained, with its answer, in core/src/protocol.rs.
function ask(question, about) {
  return parts.ask(question, about);
}

// Tells the binding of a change, likewise.
function tell(change, what, ...operands) {
  parts.tell(change, what, ...operands);
}

// Calls `visit(entry, rank, isDelayed, id)` for all waiting entries: the queued ones by enqueue
// order, then the delayed ones by deadline. A visit may remove entries and post new ones. New
// entries are not visited, even if they reuse the ids of removed ones.
function visitWaiting(visit) {
  const numbers = ask(ASK.WAITING);
  const entries = [];
  for (let i = 0; i < numbers.length; i += 2) entries.push(tasks[numbers[i]]);
  for (let i = 0; i < numbers.length; i += 2) {
    const id = numbers[i];
    const entry = entries[i / 2];
    const rank = numbers[i + 1] & (2 ** RANK_BITS - 1);
    if (entry === tasks[id]) visit(entry, rank, numbers[i + 1] !== rank, id);
  }
}

// The first entry that waits, as the last check phase did not start it: the number of the event
// for which it waits (`WaitsFor` in core/src/rules.rs), its rank, its id, and its label, if any.
function readRefused() {
  const [condition, rank, id] = ask(ASK.REFUSED);
  if (condition === undefined) return undefined;
  return { condition, rank, id, label: tasks[id]?.label };
}

// Writes the time in nanoseconds to the shared words.
function readClock() {
  calls.readTime();
}

function isEntry(value) {
  return typeof value === 'function' || typeof value === 'object';
}

// Removes a task if it waits. After the last removal, the caller calls finishRemoval().
function remove(task) {
  const { id } = task;
  if (id === STARTING) task.id = NOT_WAITING;
  else if (id !== NOT_WAITING) withdraw(task, id);
}

// Removes a task that waits with this id.
function withdraw(task, id) {
  if (observers.watch !== undefined) observers.watch.removed(task, id);
  shared.remove(id);
  release(id);
  if (task.id !== undefined) leaveQueue(task);
}

// Stops keeping the process alive, and waking the loop, for tasks that were removed.
function finishRemoval() {
  flush(parts);
}

// For the code that calls shouldYield(), sets the rank of its continuation and the number of its
// flow, or -1. `isOther` says that the last call came from other code.
function setCode(rank, isOther, flow) {
  const { words } = shared;
  words[CODE_RANK] = isOther ? rank + OTHER_CODE : rank;
  words[CODE_FLOW] = flow + 1;
}

// Returns whether that code should yield, as the bits of should-yield.js.
function advise() {
  return calls.shouldYield();
}

// Lets other threads read for how long this loop has waited. Returns the file of the addon, whose
// readIdleTime() they call; undefined without one.
function shareIdleTime() {
  parts.binding.shareIdleTime?.(parts.environment);
  return fileOfBinding?.();
}

module.exports = {
  IDLE_QUEUE: IDLE_RANK,
  Internal,
  KEPT_WHEN_EMPTY,
  NOT_WAITING,
  Terms,
  USUAL_TERMS,
  advise,
  ask,
  askForEndOfCheck,
  attach,
  countWaiting,
  finishRemoval,
  fixedQueue,
  flows,
  forgetAdvice,
  isCounted,
  post,
  postRemovable,
  readClock,
  readRefused,
  remove,
  setCode,
  shareIdleTime,
  tell,
  tidyLater,
  visitWaiting,
  withdraw,
  get words() {
    return shared.words;
  },
};
