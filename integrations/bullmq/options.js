'use strict';

// Checks the arguments of IdleWorker's own. BullMQ checks its options.

const webidl = require('../../lib/webidl/conversions.js');

const CONSTRUCTOR = "'IdleWorker'";
const PROCESSOR = new webidl.Parameter(CONSTRUCTOR, 'the argument processor');
const OPTIONS = new webidl.Parameter(CONSTRUCTOR, 'the argument options');
const CONNECTION = new webidl.Parameter(CONSTRUCTOR, 'the member connection');
const PATIENCE = new webidl.Parameter(CONSTRUCTOR, 'the member patience');
const MAX_GIVE_BACKS = new webidl.Parameter(CONSTRUCTOR, 'the member maxGiveBacks');

const CLOSE = "'close' on 'IdleWorker'";
const CLOSE_OPTIONS = new webidl.Parameter(CLOSE, 'the argument force');
const TIMEOUT = new webidl.Parameter(CLOSE, 'the member timeout');

const DEADLINE = new webidl.Parameter(CLOSE, 'the member deadline');

const DEFAULT_PATIENCE = 10_000;
const DEFAULT_MAX_GIVE_BACKS = 10;

// A processor in a file runs in another process or thread, which has an event loop of its own.
function checkProcessor(value) {
  if (typeof value === 'function') return;
  throw PROCESSOR.error('a function, which runs in this process (not a file or URL)', value);
}

// Returns the options that are not BullMQ's. Without a connection BullMQ would take the default
// address, or say less.
function toOptions(value) {
  if (!webidl.isObject(value)) throw OPTIONS.error('an object with a connection', value);
  const { connection } = value;
  const { patience = DEFAULT_PATIENCE, maxGiveBacks = DEFAULT_MAX_GIVE_BACKS } = value;
  if (!webidl.isObject(connection)) {
    throw CONNECTION.error("an object: options of a connection or one of ioredis'", connection);
  }
  checkNumber(patience, PATIENCE, 'a number of milliseconds above 0, or Infinity', (number) => {
    return number > 0;
  });
  checkNumber(maxGiveBacks, MAX_GIVE_BACKS, 'an integer from 0 on, or Infinity', (number) => {
    return number >= 0 && (Number.isInteger(number) || number === Infinity);
  });
  return { patience, maxGiveBacks };
}

function checkNumber(value, parameter, expected, isAllowed) {
  if (typeof value !== 'number') throw parameter.error(expected, value);
  if (!isAllowed(value)) throw parameter.error(expected, value, 'ERR_OUT_OF_RANGE');
}

// The argument of close(): whether to force it, and after how many milliseconds jobs are given back
// and it is forced.
function toClosing(value) {
  if (value === undefined || value === null || typeof value === 'boolean') {
    return { force: value === true, timeout: Infinity, deadline: Infinity };
  }
  if (!webidl.isObject(value)) throw CLOSE_OPTIONS.error('a boolean or an object', value);
  webidl.checkMembers(value, ['timeout', 'deadline'], CLOSE_OPTIONS);
  const { timeout = Infinity, deadline = Infinity } = value;
  for (const [number, parameter] of [[timeout, TIMEOUT], [deadline, DEADLINE]]) {
    checkNumber(number, parameter, 'a number of milliseconds from 0 on', () => number >= 0);
  }
  return { force: false, timeout, deadline };
}

module.exports = { checkProcessor, toClosing, toOptions };
