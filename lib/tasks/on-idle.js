'use strict';

// onIdle(), and the check that it shares with drain(): whether any task or continuation waits or
// runs. The check is repeated when an entry has left its queue, and when a task has settled. During
// a wait, background work is not held for the container or for other processes.

const { abortSource, reasonOfAborted } = require('../signals/abort-source.js');
const { isAborted } = require('../signals/aborted.js');
const { afterCallback } = require('../loop/checkpoint.js');
const { countWaiting, tell } = require('../loop/event-loop.js');
const { Promise } = require('../loop/platform.js');
const { observers } = require('../loop/observers.js');
const { TELL } = require('../loop/protocol.js');
const { countRequests } = require('./intakes.js');
const running = require('./running-tasks.js');
const webidl = require('../webidl/conversions.js');

const OPTIONS = new webidl.Parameter("'onIdle'", 'the argument options');
const MEMBERS = { signal: webidl.toAbortSignal };

// The calls of onIdle() and drain() under way in one event loop. The tasks that have called, the
// askers of a waiter, would wait for themselves. So a waiter is done when only its askers are left.
class Calls {
  waiters = new Set();
  // The number of waiters of each asker.
  askers = new Map();
}

// Those of the current event loop; see setWaitersAside().
let own = new Calls();

// Whether check() will be called.
let isCheckScheduled = false;

// Whether an entry has left its queue since then. In a checkpoint pass the next entry can start
// before the check, and the rest of its callback may post tasks, too.
let isCheckStale = false;

class IdleWaiter {
  #home = own;
  #askers = new Set();
  #done;

  // Calls `done` at the end of the callback after which no task is left.
  constructor(done) {
    this.#done = done;
    if (own.waiters.size === 0) tell(TELL.LIFT_HOLD, 1);
    own.waiters.add(this);
    observers.released = scheduleCheck;
  }

  // The calling task does not count.
  exclude(task) {
    if (task === undefined || this.#askers.has(task)) return;
    this.#askers.add(task);
    const { askers } = this.#home;
    askers.set(task, (askers.get(task) ?? 0) + 1);
  }

  // Whether one of its askers still runs and counts as a task.
  get isOfRunning() {
    return countRunning(this.#askers) > 0;
  }

  // Whether only its askers are left, if `left` tasks and continuations wait or run.
  isDone(left) {
    return left <= countRunning(this.#askers);
  }

  // Called after a new wait has begun: now only asking tasks may be left.
  begin() {
    const left = count();
    if (this.isDone(left)) this.finish();
    else scheduleCheck(left);
  }

  finish() {
    this.end();
    this.#done();
  }

  end() {
    const { askers, waiters } = this.#home;
    if (!waiters.delete(this)) return;
    for (const task of this.#askers) {
      const left = askers.get(task) - 1;
      if (left > 0) askers.set(task, left);
      else askers.delete(task);
    }
    if (waiters.size > 0 || this.#home !== own) return;
    observers.released = undefined;
    tell(TELL.LIFT_HOLD, 0);
  }
}

// Begins without waiters, for another event loop. The returned function ends this, and those of
// that loop.
function setWaitersAside() {
  const before = own;
  own = new Calls();
  observers.released = undefined;
  return () => {
    for (const waiter of own.waiters) waiter.finish();
    own = before;
    if (own.waiters.size === 0) return;
    observers.released = scheduleCheck;
    tell(TELL.LIFT_HOLD, 1);
    scheduleCheck();
  };
}

// The number of the given tasks that still run and count.
function countRunning(tasks) {
  let count = 0;
  for (const task of tasks) {
    if (task.resolve !== undefined && task.isReferenced) count++;
  }
  return count;
}

// Waiting requests count, whether or not their tasks are posted.
function count() {
  return countWaiting() + running.count() + countRequests();
}

// The rest of this callback may post tasks, so the check comes at its end.
function scheduleCheck(left = count()) {
  if (left > own.askers.size) return;
  isCheckStale = isCheckScheduled;
  if (isCheckScheduled) return;
  isCheckScheduled = true;
  afterCallback(() => {
    isCheckScheduled = false;
    if (isCheckStale) scheduleCheck();
    else check();
  });
}

// Ends the waiters that are done. If all remaining tasks wait in onIdle() or drain(), and so for
// each other, ends the waiters of all of them.
function check() {
  const left = count();
  const { askers, waiters } = own;
  if (left > askers.size) return;
  let done = [...waiters].filter((waiter) => waiter.isDone(left));
  if (done.length === 0 && left <= countRunning(askers.keys())) {
    done = [...waiters].filter((waiter) => waiter.isOfRunning);
  }
  for (const waiter of done) waiter.finish();
}

function onIdle(options = undefined) {
  try {
    const { signal } = webidl.readOptions(options, OPTIONS, MEMBERS);
    if (signal !== undefined && isAborted(signal)) return Promise.reject(reasonOfAborted(signal));
    return new Promise((resolve, reject) => wait(signal, resolve, reject));
  } catch (error) {
    return Promise.reject(error);
  }
}

function wait(signal, resolve, reject) {
  let waiter = undefined;
  let isOver = false;
  const subscription = signal && abortSource(signal).subscribe((reason) => {
    isOver = true;
    waiter?.end();
    reject(reason);
  });
  // Reading a foreign signal can abort it.
  if (isOver) return;
  waiter = new IdleWaiter(() => {
    subscription?.end();
    resolve();
  });
  waiter.exclude(running.currentTask());
  waiter.begin();
}

module.exports = { IdleWaiter, onIdle, setWaitersAside };
