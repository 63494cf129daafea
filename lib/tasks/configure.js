'use strict';

// configure(): checks the settings of this environment's event loop and applies them.

const { setMaxWait, setTimeSlice } = require('../loop/event-loop.js');
const webidl = require('../webidl/conversions.js');

const OPERATION = "'configure'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const TIME_SLICE = new webidl.Parameter(OPERATION, 'the member timeSlice');
const MAX_WAIT = new webidl.Parameter(OPERATION, 'the member maxWait');

const SETTINGS = ['timeSlice', 'maxWait'];
const WAITING = ['user-visible', 'background'];

// In milliseconds; Infinity: no bound.
let maxWait = { 'user-visible': Infinity, 'background': Infinity };

function configure(options) {
  const dictionary = webidl.toDictionary(options, OPTIONS);
  if (dictionary === undefined) return;
  webidl.checkMembers(dictionary, SETTINGS, OPTIONS);
  const timeSlice = toTimeSlice(dictionary.timeSlice);
  const bounds = toMaxWait(dictionary.maxWait);
  // All settings are checked first, so that an invalid one changes nothing.
  if (timeSlice !== undefined) setTimeSlice(timeSlice);
  if (bounds !== undefined) {
    setMaxWait(bounds['user-visible'], bounds.background);
    maxWait = bounds;
  }
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

module.exports = { configure };
