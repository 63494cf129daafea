'use strict';

// Replaces the event loop of the environment for a test: see uv-scheduler/testing. The test's
// driver starts the tasks, on a clock of its own.

const {
  Internal,
  attach,
  finishRemoval,
  fixedQueue,
  isCounted,
  remove,
  visitWaiting,
  withdraw,
} = require('../loop/event-loop.js');
const { setClock } = require('../loop/platform.js');
const { setImmediate, setTimer, setTimers } = require('../loop/timers.js');
const { discard } = require('./drain.js');
const { setWeights } = require('./flow.js');
const { cancelAll } = require('./idle-callbacks.js');
const running = require('./running-tasks.js');

// The tasks and continuations that wait and keep the process alive, with their labels if they have
// any.
function listWaiting() {
  const list = [];
  visitWaiting((entry, rank, isDelayed, id) => {
    if (isCounted(id)) list.push({ entry, isDelayed, label: labelOf(entry) });
  });
  return list;
}

// The tasks that have started and have not settled.
function listRunning() {
  const list = [];
  running.visit((task) => {
    if (task.isReferenced) list.push(task);
  });
  return list;
}

function labelOf(entry) {
  return entry.message?.label ?? entry.label ?? entry.callback?.name ?? '';
}

// The callbacks of the package's timers that have not fired.
const callbacks = new Set();

// A timer of the package on the clock of the test. It keeps no process alive.
function makeTimer(callback, time) {
  callbacks.add(callback);
  const entry = new Internal(() => {
    callbacks.delete(callback);
    callback();
  });
  entry.post(fixedQueue('user-blocking', true), time, false);
  const timer = {
    cancel() {
      callbacks.delete(callback);
      remove(entry);
      finishRemoval();
    },
    ref: () => timer,
    unref: () => timer,
  };
  return timer;
}

// Installs a binding, and `now()`, which returns milliseconds. The result is a function that
// restores the event loop: it rejects all tasks that have not settled, and returns what was left.
function install(binding, now) {
  const before = new Set(listRunning());
  const restore = attach(binding);
  setClock(now);
  setTimers(makeTimer);
  setWeights();
  return (reason) => {
    const left = {
      waiting: listWaiting(),
      running: listRunning().filter((task) => !before.has(task)).map(labelOf),
    };
    cancelAll();
    visitWaiting((entry, rank, isDelayed, id) => {
      if (entry instanceof Internal) withdraw(entry, id);
      else discard(entry, reason, rank, id);
    });
    finishRemoval();
    running.discard(before, reason);
    restore();
    setClock(undefined);
    setTimers(undefined);
    setWeights();
    // The owners wait for their timers.
    for (const callback of callbacks) setTimer(callback, 0).unref();
    callbacks.clear();
    return left;
  };
}

module.exports = { install, listWaiting, setImmediate };
