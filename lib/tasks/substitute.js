'use strict';

// Replaces the event loop of the environment for a test: see uv-scheduler/testing. The test's
// driver starts the tasks, on a clock of its own.

const { attach, finishRemoval, visitWaiting } = require('../loop/event-loop.js');
const { setClock } = require('../loop/platform.js');
const { setImmediate } = require('../loop/timers.js');
const { discard } = require('./drain.js');
const { setWeights } = require('./flow.js');
const { cancelAll } = require('./idle-callbacks.js');
const running = require('./running-tasks.js');

// The entries that wait, apart from those that do not keep the process alive: the label if there is
// one, the rank, and whether the entry is delayed.
function listWaiting() {
  const list = [];
  visitWaiting((entry, rank, isDelayed, id) => {
    if (isReferenced(entry)) list.push({ entry, rank, isDelayed, id, label: labelOf(entry) });
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

const isReferenced = (entry) => entry.isReferenced !== false;

function labelOf(entry) {
  return entry.message?.label ?? entry.label ?? entry.callback?.name ?? '';
}

// Installs a binding, and `now()`, which returns milliseconds. `remove(reason)` of the result
// restores the event loop: it rejects all tasks that have not settled, and returns their labels.
function install(binding, now) {
  const before = new Set(listRunning());
  const restore = attach(binding);
  setClock(now);
  setWeights();

  const left = () => ({
    waiting: listWaiting(),
    running: listRunning().filter((task) => !before.has(task)).map(labelOf),
  });

  function remove(reason) {
    const labels = left();
    cancelAll();
    visitWaiting((entry, rank, isDelayed, id) => discard(entry, reason, rank, id));
    finishRemoval();
    running.discard(before, reason);
    restore();
    setClock(undefined);
    setWeights();
    return labels;
  }

  return { left, remove };
}

module.exports = { install, listWaiting, setImmediate };
