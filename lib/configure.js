'use strict';

// configure(): the settings of this environment's event loop. Owns their checks; what they mean is
// the event loop's matter.

const { setTimeSlice } = require('./event-loop.js');
const webidl = require('./webidl.js');

const OPTIONS = new webidl.Parameter("'configure'", 'the argument options');
const TIME_SLICE = new webidl.Parameter("'configure'", 'the member timeSlice');

function configure(options) {
  const timeSlice = webidl.toDictionary(options, OPTIONS)?.timeSlice;
  if (timeSlice === undefined) return;
  if (typeof timeSlice !== 'number' || !(timeSlice > 0 && timeSlice < Infinity)) {
    throw TIME_SLICE.error('a number of milliseconds above 0', timeSlice);
  }
  setTimeSlice(timeSlice);
}

module.exports = { configure };
