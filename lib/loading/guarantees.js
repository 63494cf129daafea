'use strict';

// The rows of the event loop contract, and which of them hold in an environment.

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

// A page's own scheduler.
const PAGE_ROWS = ['order', 'oneTaskOneMacrotask'];

// The value of the export `guarantees`, if these rows hold.
function guaranteesOf(rows) {
  const guarantees = Object.fromEntries(ROWS.map((row) => [row, rows.includes(row)]));
  return Object.freeze(guarantees);
}

module.exports = { PAGE_ROWS, ROWS_OF, guaranteesOf };
