'use strict';

// reportSlowTasks(): tells of callbacks that hold the thread for long, and of tasks that wait for
// long.

const { onAbort } = require('../../signals/abort-steps.js');
const { isAborted } = require('../../signals/aborted.js');
const webidl = require('../../webidl/conversions.js');
const { SlowTasks } = require('./slow-tasks.js');

const OPERATION = "'reportSlowTasks'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const REPORT = new webidl.Parameter(OPERATION, 'the argument report');

const MEMBERS = {
  duration: webidl.toBound,
  delay: webidl.toBound,
  stacks: Boolean,
  signal: webidl.toAbortSignal,
};

// In milliseconds.
const DEFAULT_DURATION = 50;

function reportSlowTasks(options, report) {
  const { duration = DEFAULT_DURATION, delay = Infinity, stacks = false, signal } =
    webidl.readOptions(options, OPTIONS, MEMBERS);
  webidl.toFunction(report, REPORT);
  if (signal !== undefined && isAborted(signal)) return;
  const slowTasks = new SlowTasks({ duration, delay, stacks }, report);
  try {
    if (signal !== undefined) onAbort(signal, () => slowTasks.stop());
  } catch (error) {
    // A foreign signal refuses the listener.
    slowTasks.stop();
    throw error;
  }
}

module.exports = { reportSlowTasks };
