'use strict';

// onIdle(), and what it shares with drain(): the question whether any task or continuation waits or
// runs, asked again whenever one has gone. While somebody waits, background work is not held back
// for the container or for other processes.

const { abortSource, reasonOfAborted } = require('../signals/abort-source.js');
const { isAborted } = require('../signals/aborted.js');
const { afterCallback } = require('../loop/checkpoint.js');
const { countWaiting, liftHold } = require('../loop/event-loop.js');
const { Promise } = require('../loop/intrinsics.js');
const { observers } = require('../loop/observers.js');
const { countRequests } = require('./intakes.js');
const running = require('./running-tasks.js');
const webidl = require('../webidl/conversions.js');

const OPTIONS = new webidl.Parameter("'onIdle'", 'the argument options');
const MEMBERS = { signal: webidl.toAbortSignal };

// Each waits until no task is left but those of its askers.
const waiters = new Set();

// By task that asks: the number of waiters that it asks with.
const askers = new Map();

// Whether check() will be called.
let isCheckScheduled = false;

class IdleWaiter {
  #askers = new Set();
  #done;

  // Calls `done` at the end of the callback after which no task is left.
  constructor(done) {
    this.#done = done;
    if (waiters.size === 0) liftHold(true);
    waiters.add(this);
    observers.released = scheduleCheck;
  }

  // The task that asks does not count.
  exclude(task) {
    if (task === undefined || this.#askers.has(task)) return;
    this.#askers.add(task);
    askers.set(task, (askers.get(task) ?? 0) + 1);
  }

  // Whether a task waits with it that others may wait for.
  get isOfRunning() {
    return countRunning(this.#askers) > 0;
  }

  // Whether no task is left, if so many tasks and continuations wait or run.
  isDone(left) {
    return left <= countRunning(this.#askers);
  }

  // To be called when somebody has begun to wait: that may have left only tasks that ask.
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
    if (!waiters.delete(this)) return;
    for (const task of this.#askers) {
      const left = askers.get(task) - 1;
      if (left > 0) askers.set(task, left);
      else askers.delete(task);
    }
    if (waiters.size > 0) return;
    observers.released = undefined;
    liftHold(false);
  }
}

// How many of some tasks that have started run, and are among those that count.
function countRunning(tasks) {
  let count = 0;
  for (const task of tasks) {
    if (task.resolve !== undefined && task.isReferenced) count++;
  }
  return count;
}

// Requests that wait count, whether or not their tasks are posted.
function count() {
  return countWaiting() + running.count() + countRequests();
}

// What follows in this callback may post tasks, so the waiters are asked at its end.
function scheduleCheck(left = count()) {
  if (isCheckScheduled || left > askers.size) return;
  isCheckScheduled = true;
  afterCallback(() => {
    isCheckScheduled = false;
    check();
  });
}

// Ends the waiters for which no task is left. If only tasks are left that ask, and each waits for
// the others, all of them have asked for this.
function check() {
  const left = count();
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
  // A foreign signal can be aborted while it is asked.
  if (isOver) return;
  waiter = new IdleWaiter(() => {
    subscription?.end();
    resolve();
  });
  waiter.exclude(running.currentTask());
  waiter.begin();
}

module.exports = { IdleWaiter, onIdle };
