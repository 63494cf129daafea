'use strict';

// Defines the goals of pages of one priority, and checks whether the results meet them.

const { fixed } = require('../report');

// Pages in pieces, which are compared with the same by setImmediate().
const CUT = ['shouldYield', 'pieces'];
const PEER = 'immediate';
// Requests that the scheduler knows, which are compared with the ideal thread: so many times its
// figures.
const KNOWN = ['controllerFor', 'admission'];
const OF_IDEAL = { p50: 1.5, p90: 1.5, p99: 2 };
const OF_IDEAL_LONG = { p99: 1.3 };
// Pages of one size are best finished one after the other, as plain Node does.
const PLAIN = 'plain';
const OF_PLAIN = { mean: 1.1 };

const ms = (value) => `${fixed(1)(value)} ms`;

/** Goals of a row: figures of its pages of a kind, at most so many times those of another row. */
function compare(scope, row, other, kind, most) {
  return Object.entries(most).map(([figure, times]) => {
    const [value, least] = [row, other].map(({ kinds }) => kinds[kind][figure]);
    const factor = times === 1 ? '' : `${times} times `;
    return {
      scope,
      text: `${row.name}: ${figure} of ${kind} pages at most ${factor}that of ${other.name}`,
      // A short run has no long page.
      met: least === null ? null : value <= times * least,
      details: [`${ms(value)} against ${ms(least)}`],
    };
  });
}

/** Returns a list of { scope, text, met, details }. */
function judge(cells) {
  return cells.flatMap(({ title: scope, kinds: [judged, ...others], rows, ideal }) => {
    const find = (name) => rows.find(({ contender }) => contender === name);
    const of = (names) => rows.filter(({ contender }) => names.includes(contender));
    if (others.length === 0) {
      const plain = find(PLAIN);
      if (plain === undefined) return [];
      return of(KNOWN).flatMap((row) => compare(scope, row, plain, judged, OF_PLAIN));
    }
    const peer = find(PEER);
    const beside = peer === undefined ? [] : of(CUT).flatMap((row) => {
      return compare(scope, row, peer, judged, { p50: 1, p90: 1, p99: 1 });
    });
    const known = of(KNOWN).flatMap((row) => [
      ...compare(scope, row, ideal, judged, OF_IDEAL),
      ...others.flatMap((kind) => compare(scope, row, ideal, kind, OF_IDEAL_LONG)),
    ]);
    return [...beside, ...known];
  });
}

module.exports = { judge };
