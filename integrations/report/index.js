'use strict';

// `node --import uv-scheduler/report app.js`: names the functions that block a thread of a program,
// which need not know of this package. Writes lines to standard error as they come, and a summary
// when the thread ends. An error is such a line, and the program goes on: nothing here throws.
//
// A program that imports the module switches the report itself, by startReport().

const { writeLine } = require('./lines.js');
const { listensTo } = require('./listens-to.js');

// A thread that hangs for longer, in ms, is reported from another thread, which Node may forbid.
const STUCK_AFTER = 5000;

// The flag of Node that writes each profile of the inspector to standard error.
const CPU_PROFILE = /(?:^|\s)--cpu-prof(?:\s|$)/;

// Node's flags that load this module before the program.
const PRELOADS = /(?:^|\s)(?:--import|--require|-r)[=\s]\s*["']?\S*\breport(?:\.js)?["']?(?=\s|$)/;

const flags = [...process.execArgv, process.env.NODE_OPTIONS].join(' ');

// Several copies of the package, and several flags, make one report of a thread.
const STARTED = Symbol.for('uv-scheduler.report');

const theThread = () => require('node:diagnostics_channel').channel('uv-scheduler:task:posted');

// Returns the report, or undefined if the thread has one.
function begin(settings) {
  const { foreignName } = require('../internal.js').platform;
  if (foreignName !== undefined) throw new Error(`${foreignName} has no inspector of V8`);
  const thread = theThread();
  if (thread[STARTED]) return undefined;
  if (CPU_PROFILE.test(flags)) throw new Error('Node runs with --cpu-prof');
  // Its loop is the one that is watched.
  const { reportSlowCallbacks, theWatch } = require('../internal.js').watch;
  const { Report } = require('./report.js');
  const report = new Report(theWatch(), settings);
  const stuckAfter = process.permission?.has('worker') === false ? Infinity : STUCK_AFTER;
  const watcher = reportSlowCallbacks((entry) => report.add(entry), {
    ...settings, stuckAfter, readRequest: report.currentRequest, reportSoon: report.addSoon,
  });
  thread[STARTED] = true;
  // Comes after the last reports when the thread ends.
  report.begin();
  return { report, watcher };
}

function end({ report, watcher }) {
  report.stop();
  watcher.stop();
  theThread()[STARTED] = false;
}

function startReport(options) {
  const { webidl } = require('../internal.js');
  const { DEFAULT_DURATION, toFile } = require('./settings.js');
  const parameter = new webidl.Parameter("'startReport'", 'the argument options');
  const { duration = DEFAULT_DURATION, file, stacks } = webidl.readOptions(options, parameter, {
    duration: webidl.toBound,
    file: (value, member) => toFile(webidl.toString(value, member)),
    stacks: (value) => (value === 'profile' ? value : true),
  });
  let begun;
  guard(() => (begun = begin({ duration, file, stacks: stacks ?? true })));
  const stop = () => {
    if (begun !== undefined) end(begun);
    begun = undefined;
  };
  return { stop, [Symbol.dispose]: stop };
}

// The signal begins and ends a report that is off, unless the program listens to it.
function startByFlag() {
  const settings = require('./settings.js').readSettings(process.env);
  if (!settings.isOff) {
    begin(settings);
    return;
  }
  let begun;
  process.on(settings.signal, () => guard(() => {
    if (listensTo(settings.signal, 1)) return;
    if (begun !== undefined) end(begun);
    else writeLine('the report begins');
    begun = begun === undefined ? begin({ ...settings, signal: undefined }) : undefined;
  }));
}

function guard(work) {
  try {
    work();
  } catch (error) {
    writeLine(`uv-scheduler/report is not available: ${error.message}`);
  }
}

if (PRELOADS.test(flags)) guard(startByFlag);

// Loaded with the first call, as the flag loads nothing else before the program.
const labelWork = (...args) => require('./route.js').labelWork(...args);

module.exports = { labelWork, startReport };
