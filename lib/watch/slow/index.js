'use strict';

// reportSlowTasks(): reports callbacks that block the thread for long, and tasks that wait for
// long.

const webidl = require('../../webidl/conversions.js');
const { contexts } = require('../channels.js');
const { mayStart } = require('../watching-thread.js');
const { SlowTasks } = require('./slow-tasks.js');

const OPERATION = "'reportSlowTasks'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const REPORT = new webidl.Parameter(OPERATION, 'the argument report');

const MEMBERS = {
  duration: webidl.toBound,
  wait: webidl.toBound,
  stacks: (value) => (value === 'profile' ? value : Boolean(value)),
  stuckAfter: webidl.toBound,
  signal: webidl.toAbortSignal,
};

// In milliseconds.
const DEFAULT_DURATION = 50;

function reportSlowTasks(report, options = undefined) {
  webidl.toFunction(report, REPORT);
  const {
    duration = DEFAULT_DURATION, wait = Infinity, stacks = false, stuckAfter = Infinity, signal,
  } = webidl.readOptions(options, OPTIONS, MEMBERS);
  if (stuckAfter < Infinity && !mayStart()) {
    throw new Error(`Failed to execute ${OPERATION}: the option stuckAfter starts a thread, for ` +
      'which Node needs --allow-worker');
  }
  return contexts()[0].watchUntil(signal, () => {
    const slowTasks = new SlowTasks({ duration, wait, stacks, stuckAfter }, report);
    return () => slowTasks.stop();
  });
}

// Reports callbacks with their stacks, without the cost of messages about tasks, and as early as
// possible: a thread may end at any time. The times are in ms. `readRequest()` is called with each
// stack; its results are the `requests` of a report. `reportSoon` gets callbacks even earlier, in
// their async contexts, without garbage collections.
function reportSlowCallbacks(report, { duration, stacks, stuckAfter, readRequest, reportSoon }) {
  const options = {
    duration, wait: Infinity, stacks, stuckAfter, readRequest, reportSoon, needsMessages: false,
    isPrompt: true,
  };
  return new SlowTasks(options, report);
}

module.exports = { reportSlowCallbacks, reportSlowTasks };
