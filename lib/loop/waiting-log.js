'use strict';

// The debug log of waiting entries: why the first entry of the queues did not start in a check
// phase. All others wait behind it. Loaded only while `NODE_DEBUG` names the package.

const { debug } = require('../loading/debug.js');
const { ask, readRefused, tidyLater } = require('./event-loop.js');
const { ASK } = require('./protocol.js');
const { readNanoseconds } = require('./time.js');

// The time in nanoseconds from a line to the next one.
const INTERVAL = 100e6;

// The kinds of entries, by rank.
const NAMES = [
  'idle callback',
  'background task',
  'background continuation',
  'user-visible task',
  'user-visible continuation',
  'user-blocking task',
  'user-blocking continuation',
];

// The reasons of a hold, by its number.
const HOLDS = [
  'the host holds background work',
  'the CPU quota of the container is nearly used up',
  'other threads want the processor',
];

// The texts of `WaitsFor` in core/src/rules.rs, by its numbers.
const CONDITIONS = {
  1: () => 'the time slice of this turn is used up',
  2: () => 'the idle period in which it was requested has not ended',
  3: () => 'new connections are accepted first',
  4: () => 'other callbacks are runnable (timers are due, or immediates or closing handles wait)',
  5: () => 'I/O is ready',
  6: () => HOLDS[ask(ASK.HELD)[2]],
};

// The reason of the last line, until no entry waits, and the time of that line.
let last;
let writtenAt = -Infinity;

// The numbers of queued entries by their names, as a text.
function describeQueues() {
  const numbers = ask(ASK.QUEUED);
  const counts = NAMES.map((name, rank) => [numbers[3 * rank], name]);
  return counts.filter(([count]) => count > 0).map((pair) => pair.join(' × ')).join(', ');
}

function write({ condition, rank, id, label }) {
  const reason = `waits: ${CONDITIONS[condition]()}`;
  const time = readNanoseconds();
  if (time - writtenAt < INTERVAL || last === `${rank} ${reason}`) return;
  last = `${rank} ${reason}`;
  writtenAt = time;
  const name = label === undefined ? '' : ` '${label}'`;
  debug('%s %d%s %s; queued: %s', NAMES[rank], id, name, reason, describeQueues());
}

// Its tidy() is called at the end of each check phase.
const log = {
  isUnused: false,
  tidy() {
    const refused = readRefused();
    if (refused === undefined) last = undefined;
    else write(refused);
    tidyLater(this);
  },
};

function begin() {
  tidyLater(log);
}

module.exports = { CONDITIONS, begin };
