'use strict';

// The environment variables of uv-scheduler/report. A wrong value is replaced by the default, with
// a line on standard error.

const path = require('node:path');
const { watch } = require('../internal.js');
const { writeLine } = require('./lines.js');

const { ownName, resolveName } = watch;

// In milliseconds.
const DEFAULT_DURATION = 50;

// The signal behind which a program goes on. The others end it, as without the report.
const GOES_ON = 'SIGUSR2';
const SIGNALS = [GOES_ON, 'SIGINT', 'SIGTERM'];

function readDuration({ UV_SCHEDULER_REPORT: value }) {
  if (!value) return DEFAULT_DURATION;
  const duration = Number(value);
  if (duration > 0 && duration < Infinity) return duration;
  refuse('UV_SCHEDULER_REPORT', 'a number of milliseconds above 0', value,
    `the default of ${DEFAULT_DURATION} is used`);
  return DEFAULT_DURATION;
}

// The absolute name of the file, as the program may change its folder.
function readFile({ UV_SCHEDULER_REPORT_FILE: value }) {
  return value ? path.resolve(resolveName(ownName(value))) : undefined;
}

function readSignal({ UV_SCHEDULER_REPORT_SIGNAL: value }) {
  if (!value) return undefined;
  const signal = value.trim().toUpperCase();
  if (SIGNALS.includes(signal)) return signal;
  refuse('UV_SCHEDULER_REPORT_SIGNAL', SIGNALS.join(' or '), value, 'no signal is used');
  return undefined;
}

function refuse(name, expected, value, effect) {
  writeLine(`${name} must be ${expected}, but is ${JSON.stringify(value)}: ${effect}`);
}

const readSettings = (variables) => ({
  duration: readDuration(variables),
  file: readFile(variables),
  signal: readSignal(variables),
});

module.exports = { GOES_ON, readSettings };
