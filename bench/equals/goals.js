'use strict';

// Defines the goals of pages of one priority and checks whether the results meet them, and finds
// the faults of a measurement.

const OWN = ['shouldYield', 'pieces'];
const PEER = 'immediate';
const FIGURES = ['p50', 'p90', 'p99'];

// What a short page takes.
const LATE_P99_AT_MOST = 3;
const WAITING_AT_MOST = 0.03;

const ms = (value) => `${value.toFixed(1)} ms`;

/** Returns a list of { scope, text, met, detail }. */
function judge(cells) {
  return cells.flatMap(({ title: scope, kinds: [judged], rows }) => {
    const peer = rows.find(({ contender }) => contender === PEER);
    const own = rows.filter(({ contender }) => OWN.includes(contender));
    if (peer === undefined) return [];
    return own.flatMap(({ name, kinds }) => FIGURES.map((figure) => {
      const [value, most] = [kinds, peer.kinds].map((each) => each[judged][figure]);
      return {
        scope,
        text: `${name}: ${figure} of ${judged} pages at most that of ${peer.name}`,
        met: value <= most,
        detail: `${ms(value)} against ${ms(most)}`,
      };
    }));
  });
}

/** Returns a list of texts; an empty one if the measurement is valid. */
function findFaults(cells, pinned) {
  const faults = cells.flatMap(({ title, rows }) => rows.flatMap((row) => {
    const where = `${title}, ${row.name}`;
    const found = [];
    if (row.lateP99 > LATE_P99_AT_MOST) {
      found.push(`${where}: requests were sent late, p99 ${ms(row.lateP99)}`);
    }
    if (row.waiting > WAITING_AT_MOST) {
      found.push(`${where}: other processes had the server's processor for `
        + `${(row.waiting * 100).toFixed(1)} % of the time`);
    }
    if (row.failed > 0) found.push(`${where}: ${row.failed} requests failed`);
    return found;
  }));
  return pinned ? faults : ['processes are not bound to processors: there is one, or no taskset',
    ...faults];
}

module.exports = { findFaults, judge };
