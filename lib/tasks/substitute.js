'use strict';

// Replaces the event loop of the environment for a test: see uv-scheduler/testing. The test's
// driver starts the tasks, on a clock of its own.

const { lastAdvice } = require('../loop/advice.js');
const {
  Internal,
  attach,
  finishRemoval,
  isCounted,
  visitWaiting,
  withdraw,
} = require('../loop/event-loop.js');
const { observers } = require('../loop/observers.js');
const { setSource, setTimer } = require('../loop/time.js');
const { configuration, configure } = require('./configure.js');
const { endDrain, isDraining, rejectRemoved } = require('./drain.js');
const { cancelAll } = require('./idle-callbacks.js');
const { setWaitersAside } = require('./on-idle.js');
const running = require('./running-tasks.js');

// The entries that wait, with their labels if they have any. Those that are not counted are
// unreferenced or internal.
function listWaiting() {
  const list = [];
  visitWaiting((entry, rank, isDelayed, id) => {
    const isInternal = entry instanceof Internal;
    const label = isInternal ? '' : labelOf(entry);
    list.push({ entry, isDelayed, isInternal, isCounted: isCounted(id), label });
  });
  return list;
}

// The tasks that have started and have not settled.
function listRunning() {
  const list = [];
  running.visit((task) => list.push(task));
  return list;
}

function labelOf(entry) {
  return entry.message?.label ?? entry.label ?? entry.callback?.name ?? '';
}

// Removes all entries that wait, and returns those that are counted, with their ranks. The promises
// of the others never settle.
function removeAll() {
  const removed = [];
  visitWaiting((entry, rank, isDelayed, id) => {
    if (isCounted(id)) {
      removed.push({ entry, rank });
    } else {
      entry.state?.abortSource?.delete(entry);
      entry.flow?.end(false);
    }
    withdraw(entry, id);
  });
  finishRemoval();
  return removed;
}

let isInstalled = false;

// Installs a binding, and the source of time of its driver (see loop/time.js), which lists the
// callbacks `left()` at the end. The result is a function that restores the event loop: it rejects
// all tasks that have not settled and keep a process alive, and returns them. All others never
// settle, as at the end of a process.
function install(binding, source) {
  const putBack = [running.setAside(), setWaitersAside()];
  const others = new Set(listRunning());
  const settings = configuration();
  // Watchers compare the host's clock with that of `performance.now()` when they begin.
  observers.watchForSubscribers();
  const restore = attach(binding);
  isInstalled = true;
  setSource(source);
  // The new binding has none of the settings, and keeps those that the test makes.
  configure(settings);
  return (reason) => {
    const waiting = listWaiting().filter((each) => each.isCounted);
    const labels = [];
    for (const task of listRunning()) {
      if (!task.isReferenced) others.add(task);
      else if (!others.has(task)) labels.push(labelOf(task));
    }
    cancelAll();
    const removed = removeAll();
    configure(settings);
    restore();
    isInstalled = false;
    setSource(undefined);
    // Subscribers that hear of the rejections can post tasks, which belong to the real event loop.
    for (const { entry, rank } of removed) rejectRemoved(entry, reason, rank);
    running.discard(others, reason);
    endDrain();
    for (const each of putBack) each();
    // The owners wait for their timers.
    for (const callback of source.left()) setTimer(callback, 0).unref();
    return { waiting, running: labels };
  };
}

// The clock has moved within code: its next question is not answered from memory.
function expectMove() {
  lastAdvice.repeats = 0;
  lastAdvice.granted = 0;
}

module.exports = {
  expectMove, install, isDraining, isInstalled: () => isInstalled, listWaiting,
};
