'use strict';

// `node --import uv-scheduler/report app.js`: names the functions that block a thread of a program,
// which need not know of this package. Writes lines to standard error as they come, and a summary
// when the thread ends. An error is such a line, and the program goes on: nothing here throws.

const { writeLine } = require('./lines.js');

// A thread that hangs for longer, in ms, is reported from another thread, which Node may forbid.
const STUCK_AFTER = 5000;

// The flag of Node that writes each profile of the inspector to standard error.
const CPU_PROFILE = /(?:^|\s)--cpu-prof(?:\s|$)/;

// Several copies of the package, and several flags, make one report of a thread.
const STARTED = Symbol.for('uv-scheduler.report');

function start() {
  const channel = require('node:diagnostics_channel').channel('uv-scheduler:task:posted');
  if (channel[STARTED]) return;
  channel[STARTED] = true;
  const flags = [...process.execArgv, process.env.NODE_OPTIONS].join(' ');
  if (CPU_PROFILE.test(flags)) throw new Error('Node runs with --cpu-prof');
  // Its loop is the one that is watched.
  const { reportSlowCallbacks, theWatch } = require('../internal.js').watch;
  const settings = require('./settings.js').readSettings(process.env);
  const { Report } = require('./report.js');
  const report = new Report(theWatch(), settings);
  const { duration } = settings;
  const stuckAfter = process.permission?.has('worker') === false ? Infinity : STUCK_AFTER;
  reportSlowCallbacks((entry) => report.add(entry), duration, stuckAfter);
  // Comes after the last reports when the thread ends.
  report.begin();
}

try {
  const { foreignName } = require('../internal.js').platform;
  if (foreignName === undefined) start();
  else writeLine(`uv-scheduler/report is not available on ${foreignName}: it needs Node.`);
} catch (error) {
  writeLine(`uv-scheduler/report is not available: ${error.message}`);
}
