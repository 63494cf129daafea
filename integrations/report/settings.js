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

// The value of UV_SCHEDULER_REPORT with which the signal begins the report.
const OFF = 'off';

function readDuration({ UV_SCHEDULER_REPORT: value }) {
  if (!value || value === OFF) return DEFAULT_DURATION;
  const duration = Number(value);
  if (duration > 0 && duration < Infinity) return duration;
  refuse('UV_SCHEDULER_REPORT', 'a number of milliseconds above 0, or off', value,
    `the default of ${DEFAULT_DURATION} is used`);
  return DEFAULT_DURATION;
}

// The absolute name of the file, as the program may change its folder.
const toFile = (name) => path.resolve(resolveName(ownName(name)));

const readFile = ({ UV_SCHEDULER_REPORT_FILE: value }) => (value ? toFile(value) : undefined);

function readSignal({ UV_SCHEDULER_REPORT_SIGNAL: value, UV_SCHEDULER_REPORT: report }) {
  if (report === OFF) return GOES_ON;
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
  isOff: variables.UV_SCHEDULER_REPORT === OFF,
  signal: readSignal(variables),
  stacks: variables.UV_SCHEDULER_REPORT_PROFILE === '1' ? 'profile' : true,
});

module.exports = { DEFAULT_DURATION, GOES_ON, readSettings, toFile };
