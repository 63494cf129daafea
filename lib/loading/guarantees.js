'use strict';

// The rows of the event loop contract, and which of them hold in this process.

const { mode } = require('./host.js');

const ROWS = [
  'order',
  'oneTaskOneMacrotask',
  'userBlocking',
  'userVisibleContinuations',
  'userVisibleTasks',
  'background',
  'idleCallbacks',
  'timeSlice',
  'boundedWaits',
  'ownBounds',
  'idleMeansIdle',
  'liveness',
  'nestedLoops',
];

// Hosts other than libuv tell neither ready I/O, nor due timers, nor quotas.
const PORTABLE_ROWS = [
  'order',
  'oneTaskOneMacrotask',
  'userBlocking',
  'timeSlice',
  'boundedWaits',
  'ownBounds',
  'liveness',
];

// Immediates in place of the scheduler.
const OFF_ROWS = ['oneTaskOneMacrotask', 'liveness'];

// The rows by the mode of the process; see host.js.
const ROWS_OF = { addon: ROWS, portable: PORTABLE_ROWS, off: OFF_ROWS };

// The export `guarantees` of `uv-scheduler/testing`.
const guarantees = Object.freeze(
  Object.fromEntries(ROWS.map((row) => [row, ROWS_OF[mode].includes(row)])));

module.exports = { guarantees };
