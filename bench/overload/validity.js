'use strict';

// Finds the faults of a measurement itself: a load process that was late measures its own waiting,
// and a server that shares its processor is slower than its capacity.

// Half of what a page takes; and what stops everything, in ms.
const LATE_P99_AT_MOST = 10;
const LATE_AT_MOST = 100;

const WAITING_AT_MOST = 0.03;

/** Returns a list of texts; an empty one if the measurement is valid. */
function findFaults(cells, pinned) {
  const faults = cells.flatMap(({ title, rows }) => rows.flatMap((row) => {
    const where = `${title}, ${row.name}`;
    const found = [];
    if (row.lateP99 > LATE_P99_AT_MOST || row.lateMost > LATE_AT_MOST) {
      found.push(`${where}: visitors were sent late, p99 ${row.lateP99.toFixed(1)} ms, the latest `
        + `${row.lateMost.toFixed(0)} ms`);
    }
    if (row.waiting > WAITING_AT_MOST) {
      found.push(`${where}: other processes had the server's processor for `
        + `${(row.waiting * 100).toFixed(1)} % of the time`);
    }
    if (row.classes.all.failed > 0) {
      found.push(`${where}: ${row.classes.all.failed} requests failed without an answer`);
    }
    return found;
  }));
  return pinned ? faults : ['processes are not bound to processors: there is one, or no taskset',
    ...faults];
}

module.exports = { findFaults };
