'use strict';

// configure(): checks the settings of this environment's event loop and applies them. The
// environment variable UV_SCHEDULER_IDLE sets `idle` without a change of the program. The mode of
// the process is read only.

const { tell } = require('../loop/event-loop.js');
const { TELL } = require('../loop/protocol.js');
const { mode } = require('../loading/host.js');
const webidl = require('../webidl/conversions.js');

const OPTIONS = new webidl.Parameter("'configure'", 'the argument options');

// The index is the number of the mode in the binding.
const IDLE_MODES = ['loop', 'container', 'machine'];
const DEFAULT_IDLE = 'container';

// The current settings; times are in milliseconds, and Infinity is no bound. The binding starts
// with the same settings.
const settings = {
  timeSlice: 5,
  maxWait: { 'user-visible': Infinity, 'background': Infinity },
  idle: DEFAULT_IDLE,
  mode,
};

const SETTINGS = {
  timeSlice: webidl.toNumberThat('a number of milliseconds above 0', (time) => {
    return time > 0 && time < Infinity;
  }),
  maxWait: toMaxWait,
  idle: (value, parameter) => webidl.toEnumeration(value, IDLE_MODES, parameter),
  // A result of configuration() is accepted.
  mode: (value, parameter) => webidl.toEnumeration(value, [mode], parameter),
};
const BOUNDS = { 'user-visible': webidl.toBound, 'background': webidl.toBound };

function configure(options) {
  // All settings are checked first, so that an invalid one changes nothing.
  const changed = webidl.readOptions(options, OPTIONS, SETTINGS);
  const { timeSlice, maxWait, idle } = changed;
  if (timeSlice !== undefined) tell(TELL.SET_TIME_SLICE, 0, timeSlice);
  if (maxWait !== undefined) {
    tell(TELL.SET_MAX_WAIT, 0, maxWait['user-visible'], maxWait.background);
  }
  if (idle !== undefined) tell(TELL.SET_IDLE, IDLE_MODES.indexOf(idle));
  Object.assign(settings, changed);
}

// Bounds that are not given stay as they are.
function toMaxWait(value, parameter) {
  return { ...settings.maxWait, ...webidl.readOptions(value, parameter, BOUNDS) };
}

// A copy.
function configuration() {
  return { ...settings, maxWait: { ...settings.maxWait } };
}

// Applies the environment variable, in which case does not matter. A wrong value must not stop a
// server.
function configureFromOutside(value) {
  const idle = value.trim().toLowerCase();
  if (IDLE_MODES.includes(idle)) {
    configure({ __proto__: null, idle });
    return;
  }
  const list = IDLE_MODES.map((each) => `'${each}'`).join(', ');
  process.emitWarning(
    `The environment variable UV_SCHEDULER_IDLE must be one of ${list}, but is ` +
      `${JSON.stringify(value)}. The default '${DEFAULT_IDLE}' is used.`,
    { type: 'UvSchedulerWarning', code: 'UV_SCHEDULER_IDLE' },
  );
}

module.exports = { configuration, configure, configureFromOutside };
