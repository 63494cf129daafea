'use strict';

// configure(): checks the settings of this environment's event loop and applies them. The
// environment variable UV_SCHEDULER_IDLE is one of them, for those who run a program as it is.

const { setIdle, setMaxWait, setTimeSlice } = require('../loop/event-loop.js');
const webidl = require('../webidl/conversions.js');

const OPTIONS = new webidl.Parameter("'configure'", 'the argument options');

// By the number that the binding has for each.
const IDLE_MODES = ['loop', 'container', 'machine'];
const DEFAULT_IDLE = 'container';

// In milliseconds; Infinity: no bound.
let maxWait = { 'user-visible': Infinity, 'background': Infinity };

const SETTINGS = {
  timeSlice: webidl.toNumberThat('a number of milliseconds above 0', (time) => {
    return time > 0 && time < Infinity;
  }),
  maxWait: toMaxWait,
  idle: (value, parameter) => webidl.toEnumeration(value, IDLE_MODES, parameter),
};
const BOUNDS = { 'user-visible': webidl.toBound, 'background': webidl.toBound };

function configure(options) {
  // All settings are checked first, so that an invalid one changes nothing.
  const { timeSlice, maxWait: bounds, idle } = webidl.readOptions(options, OPTIONS, SETTINGS);
  if (timeSlice !== undefined) setTimeSlice(timeSlice);
  if (bounds !== undefined) {
    setMaxWait(bounds['user-visible'], bounds.background);
    maxWait = bounds;
  }
  if (idle !== undefined) setIdle(IDLE_MODES.indexOf(idle));
}

// Bounds that are not given stay as they are.
function toMaxWait(value, parameter) {
  return { ...maxWait, ...webidl.readOptions(value, parameter, BOUNDS) };
}

// Applies the environment variable. A wrong value must not stop a server.
function configureFromOutside(value) {
  if (IDLE_MODES.includes(value)) {
    setIdle(IDLE_MODES.indexOf(value));
    return;
  }
  const list = IDLE_MODES.map((each) => `'${each}'`).join(', ');
  process.emitWarning(
    `The environment variable UV_SCHEDULER_IDLE must be one of ${list}, but is ` +
      `${JSON.stringify(value)}. The default holds, '${DEFAULT_IDLE}'.`,
    { type: 'UvSchedulerWarning', code: 'UV_SCHEDULER_IDLE' },
  );
}

module.exports = { configure, configureFromOutside };
