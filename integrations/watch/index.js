'use strict';

// The exports of `uv-scheduler/watch`. The parts of lib/watch/ are loaded when one is first called.

const internal = require('../internal.js');

function monitorTasks(options = undefined) {
  return internal.watch.monitorTasks(options);
}

function reportSlowTasks(report, options = undefined) {
  return internal.watch.reportSlowTasks(report, options);
}

function traceTasks(file, options = undefined) {
  return internal.watch.traceTasks(file, options);
}

module.exports = { monitorTasks, reportSlowTasks, traceTasks };
