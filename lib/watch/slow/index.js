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
const DURATION = new webidl.Parameter(OPERATION, 'the member duration');
const DELAY = new webidl.Parameter(OPERATION, 'the member delay');
const SIGNAL = new webidl.Parameter(OPERATION, 'the member signal');

const MEMBERS = ['duration', 'delay', 'stacks', 'signal'];

// In milliseconds.
const DEFAULT_DURATION = 50;

function readOptions(options) {
  const dictionary = webidl.toDictionary(options, OPTIONS) ?? {};
  webidl.checkMembers(dictionary, MEMBERS, OPTIONS);
  const { duration, delay, stacks, signal } = dictionary;
  return {
    duration: webidl.optional(duration, webidl.toBound, DURATION) ?? DEFAULT_DURATION,
    delay: webidl.optional(delay, webidl.toBound, DELAY) ?? Infinity,
    stacks: Boolean(stacks),
    signal: webidl.optional(signal, webidl.toAbortSignal, SIGNAL),
  };
}

function reportSlowTasks(options, report) {
  const { signal, ...settings } = readOptions(options);
  webidl.toFunction(report, REPORT);
  if (signal !== undefined && isAborted(signal)) return;
  const slowTasks = new SlowTasks(settings, report);
  try {
    if (signal !== undefined) onAbort(signal, () => slowTasks.stop());
  } catch (error) {
    // A foreign signal refuses the listener.
    slowTasks.stop();
    throw error;
  }
}

module.exports = { reportSlowTasks };
