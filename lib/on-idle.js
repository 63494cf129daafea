'use strict';

// onIdle(), and what it shares with drain(): the question whether any task or continuation waits or
// runs, asked again whenever one has gone.

const { abortSource, reasonOfAborted } = require('./abort-source.js');
const { isAborted } = require('./aborted.js');
const { afterCallback } = require('./checkpoint.js');
const { countWaiting } = require('./event-loop.js');
const { Promise } = require('./intrinsics.js');
const { observers } = require('./observers.js');
const running = require('./running-tasks.js');
const webidl = require('./webidl.js');

const OPERATION = "'onIdle'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const SIGNAL = new webidl.Parameter(OPERATION, 'the member signal');

// Each waits until no task is left but those of its askers.
const waiters = new Set();

// Whether check() will be called.
let isCheckScheduled = false;

class IdleWaiter {
  #askers = new Set();
  #done;

  // Calls `done` at the end of the callback after which no task is left.
  constructor(done) {
    this.#done = done;
    waiters.add(this);
    observers.released = scheduleCheck;
  }

  // The task that asks does not count.
  exclude(task) {
    if (task !== undefined) this.#askers.add(task);
  }

  // The number of tasks and continuations that wait or run.
  get count() {
    let count = countWaiting() + running.count();
    for (const task of this.#askers) {
      // It has settled, or nobody waits for it.
      if (task.resolve === undefined || task.isAside) this.#askers.delete(task);
      else count--;
    }
    return count;
  }

  check() {
    if (this.count > 0) return;
    this.end();
    this.#done();
  }

  end() {
    waiters.delete(this);
    if (waiters.size === 0) observers.released = undefined;
  }
}

// What follows in this callback may post tasks, so the waiters are asked at its end.
function scheduleCheck() {
  if (isCheckScheduled) return;
  for (const waiter of waiters) {
    if (waiter.count > 0) continue;
    isCheckScheduled = true;
    afterCallback(check);
    return;
  }
}

function check() {
  isCheckScheduled = false;
  for (const waiter of waiters) waiter.check();
}

function onIdle(options = undefined) {
  try {
    const dictionary = webidl.toDictionary(options, OPTIONS);
    const value = dictionary?.signal;
    const signal = value === undefined ? undefined : webidl.toAbortSignal(value, SIGNAL);
    if (signal !== undefined && isAborted(signal)) return Promise.reject(reasonOfAborted(signal));
    return new Promise((resolve, reject) => wait(signal, resolve, reject));
  } catch (error) {
    return Promise.reject(error);
  }
}

function wait(signal, resolve, reject) {
  // A foreign signal can be aborted while it is asked.
  let waiter = undefined;
  const subscription = subscribe(signal, (reason) => {
    waiter?.end();
    reject(reason);
  });
  waiter = new IdleWaiter(() => {
    subscription.end();
    resolve();
  });
  waiter.exclude(running.current());
  waiter.check();
}

// Calls `aborted(reason)` when a signal is aborted. A foreign signal can throw.
function subscribe(signal, aborted) {
  if (signal === undefined) return { end() {} };
  const source = abortSource(signal);
  const entry = { previous: undefined, next: undefined, abort: aborted };
  source.add(entry);
  return { end: () => source.delete(entry) };
}

module.exports = { IdleWaiter, onIdle, subscribe };
