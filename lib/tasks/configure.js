'use strict';

// configure(): checks the settings of this environment's event loop and applies them. The
// environment variable UV_SCHEDULER_IDLE is one of them, for those who run a program as it is.

const { setIdle, setMaxWait, setTimeSlice } = require('../loop/event-loop.js');
const webidl = require('../webidl/conversions.js');

const OPERATION = "'configure'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const TIME_SLICE = new webidl.Parameter(OPERATION, 'the member timeSlice');
const IDLE = new webidl.Parameter(OPERATION, 'the member idle');
const MAX_WAIT = new webidl.Parameter(OPERATION, 'the member maxWait');

const SETTINGS = ['timeSlice', 'maxWait', 'idle'];
const WAITING = ['user-visible', 'background'];

// By the number that the binding has for each.
const IDLE_MODES = ['loop', 'container', 'machine'];
const DEFAULT_IDLE = 'container';

// In milliseconds; Infinity: no bound.
let maxWait = { 'user-visible': Infinity, 'background': Infinity };

function configure(options) {
  const dictionary = webidl.toDictionary(options, OPTIONS);
  if (dictionary === undefined) return;
  webidl.checkMembers(dictionary, SETTINGS, OPTIONS);
  const timeSlice = toTimeSlice(dictionary.timeSlice);
  const bounds = toMaxWait(dictionary.maxWait);
  const idle = webidl.optional(dictionary.idle, toIdle, IDLE);
  // All settings are checked first, so that an invalid one changes nothing.
  if (timeSlice !== undefined) setTimeSlice(timeSlice);
  if (bounds !== undefined) {
    setMaxWait(bounds['user-visible'], bounds.background);
    maxWait = bounds;
  }
  if (idle !== undefined) setIdle(IDLE_MODES.indexOf(idle));
}

function toTimeSlice(value) {
  if (value === undefined) return undefined;
  return webidl.toMilliseconds(value, TIME_SLICE);
}

// Bounds that are not given stay as they are.
function toMaxWait(value) {
  const dictionary = webidl.toDictionary(value, MAX_WAIT);
  if (dictionary === undefined) return undefined;
  webidl.checkMembers(dictionary, WAITING, MAX_WAIT);
  const bounds = { ...maxWait };
  for (const priority of WAITING) {
    const bound = dictionary[priority];
    if (bound === undefined) continue;
    const parameter = new webidl.Parameter(OPERATION, `the member maxWait['${priority}']`);
    bounds[priority] = webidl.toBound(bound, parameter);
  }
  return bounds;
}

function toIdle(value, parameter) {
  return webidl.toEnumeration(value, IDLE_MODES, parameter);
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
