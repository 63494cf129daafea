'use strict';

// Checks the arguments that IdleWorker adds. BullMQ checks its own options.
//
// Only misspelt names of the options below are refused. All other names are passed on: BullMQ
// ignores unknown options, and a later version of BullMQ may know names that are unknown here.

const { isMisspelt, webidl } = require('../internal.js');

const CONSTRUCTOR = "'IdleWorker'";
const PROCESSOR = new webidl.Parameter(CONSTRUCTOR, 'the argument processor');
const OPTIONS = new webidl.Parameter(CONSTRUCTOR, 'the argument options');
const CLOSE_OPTIONS = new webidl.Parameter("'close' on 'IdleWorker'", 'the argument options');

const MEMBERS = {
  connection: toConnection,
  patience: webidl.toBound,
  maxGiveBacks: webidl.toNumberThat('an integer from 0 on, or Infinity', (number) => {
    return number >= 0 && (Number.isInteger(number) || number === Infinity);
  }),
};

const NAMES = Object.keys(MEMBERS);

// A name that differs by more letters from each of NAMES counts as an option of BullMQ.
const MAX_MISTAKES = 2;

const toTime = webidl.toNumberThat('a number of milliseconds from 0 on', (time) => time >= 0);
const CLOSE_MEMBERS = { giveBackAfter: toTime, forceAfter: toTime };

const DEFAULT_PATIENCE = 10_000;
const DEFAULT_MAX_GIVE_BACKS = 10;

// A processor in a file runs in another process or thread, with its own event loop.
function checkProcessor(value) {
  if (typeof value === 'function') return;
  throw PROCESSOR.error('a function, which runs in this process (not a file or URL)', value);
}

// Returns the options that BullMQ does not have.
function toOptions(value) {
  if (!webidl.isObject(value)) throw OPTIONS.error('an object with a connection', value);
  for (const name in value) {
    if (isMisspelt(name, NAMES, MAX_MISTAKES)) throw OPTIONS.unknownOption(name, NAMES);
  }
  const { patience = DEFAULT_PATIENCE, maxGiveBacks = DEFAULT_MAX_GIVE_BACKS, connection } =
    webidl.readMembers(value, OPTIONS, MEMBERS);
  // Without a connection BullMQ would use the default address, or throw a less clear error.
  if (connection === undefined) toConnection(connection, OPTIONS.member('connection'));
  return { patience, maxGiveBacks };
}

function toConnection(value, parameter) {
  if (webidl.isObject(value)) return value;
  throw parameter.error('an object: options of a connection, or an ioredis client', value);
}

// The argument of close(): whether to force the close, and the times in ms after which jobs are
// given back and the close is forced.
function toClosing(value) {
  if (value === undefined || value === null || typeof value === 'boolean') {
    return { isForced: value === true, giveBackAfter: Infinity, forceAfter: Infinity };
  }
  if (!webidl.isObject(value)) throw CLOSE_OPTIONS.error('a boolean or an object', value);
  const { giveBackAfter = Infinity, forceAfter = Infinity } =
    webidl.readOptions(value, CLOSE_OPTIONS, CLOSE_MEMBERS);
  return { isForced: false, giveBackAfter, forceAfter };
}

module.exports = { checkProcessor, toClosing, toOptions };
