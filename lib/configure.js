'use strict';

// configure(): the settings of this environment's event loop. Owns their checks; what they mean is
// the event loop's matter.

const { setBackgroundTimeout, setTimeSlice } = require('./event-loop.js');
const webidl = require('./webidl.js');

const OPTIONS = new webidl.Parameter("'configure'", 'the argument options');
const TIME_SLICE = new webidl.Parameter("'configure'", 'the member timeSlice');
const BACKGROUND_TIMEOUT = new webidl.Parameter("'configure'", 'the member backgroundTimeout');

const MILLISECONDS = 'a number of milliseconds above 0';

function configure(options) {
  const dictionary = webidl.toDictionary(options, OPTIONS);
  const timeSlice = dictionary?.timeSlice;
  const backgroundTimeout = dictionary?.backgroundTimeout;
  if (timeSlice !== undefined && !(isAboveZero(timeSlice) && timeSlice < Infinity)) {
    throw TIME_SLICE.error(MILLISECONDS, timeSlice);
  }
  if (backgroundTimeout !== undefined && !isAboveZero(backgroundTimeout)) {
    throw BACKGROUND_TIMEOUT.error(`${MILLISECONDS}, or Infinity`, backgroundTimeout);
  }
  // Only now, so that a bad setting changes nothing.
  if (timeSlice !== undefined) setTimeSlice(timeSlice);
  if (backgroundTimeout !== undefined) setBackgroundTimeout(backgroundTimeout);
}

function isAboveZero(value) {
  return typeof value === 'number' && value > 0;
}

module.exports = { configure };
