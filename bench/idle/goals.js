'use strict';

// Defines the goals and checks whether the results meet them.

const P99_AT_MOST = 1.25;
const P90_AT_MOST = 1.1;
const WORK_AT_LEAST = 0.7;
const BATCH_AT_LEAST = 0.95;
const NEIGHBOUR_WORK_AT_LEAST = 0.5;
const THROTTLED_AT_MOST = 0.05;
const SHARE_AT_LEAST = 0.5;
const SECONDS_AT_MOST = 15;

const atMost = (value, limit) => ({ value, met: value <= limit });
const atLeast = (value, limit) => ({ value, met: value >= limit });

// What each part asks of the scheduler, beside the row without background work.
const GOALS = {
  grid: (row, none) => ({
    [`p99 at most ${P99_AT_MOST}×`]: atMost(row.ratioP99, P99_AT_MOST),
    [`p90 at most ${P90_AT_MOST}×`]: atMost(row.ratioP90, P90_AT_MOST),
    [`work at least ${WORK_AT_LEAST}`]: atLeast(row.work, WORK_AT_LEAST),
    [`at most ${THROTTLED_AT_MOST} more of the periods throttled`]:
      atMost(row.throttled - none.throttled, THROTTLED_AT_MOST),
  }),
  batch: (row) => ({
    [`work at least ${BATCH_AT_LEAST}`]: atLeast(row.work, BATCH_AT_LEAST),
    [`at most ${THROTTLED_AT_MOST} of the periods throttled`]:
      atMost(row.throttled, THROTTLED_AT_MOST),
  }),
  shared: (row, none) => ({
    ...GOALS.grid(row, none),
    [`the smaller share at least ${SHARE_AT_LEAST}× the larger`]:
      atLeast(row.share, SHARE_AT_LEAST),
  }),
  workers: (row, none) => GOALS.shared(row, none),
  halved: (row, none) => ({
    ...GOALS.grid(row, none),
    [`obeyed within ${SECONDS_AT_MOST} s`]:
      atMost(Math.max(...row.obeyed.map((each) => each ?? Infinity)), SECONDS_AT_MOST),
  }),
  neighbour: (row) => ({
    [`p99 at most ${P99_AT_MOST}×`]: atMost(row.ratioP99, P99_AT_MOST),
    [`work at least ${NEIGHBOUR_WORK_AT_LEAST}`]: atLeast(row.work, NEIGHBOUR_WORK_AT_LEAST),
  }),
};

/** Returns a list of { scope, text, met, details } for the scheduler's own rows. */
function judge(cells) {
  return cells.flatMap(({ part, title, rows }) => {
    const none = rows.find(({ contender }) => contender === 'none');
    const own = rows.find(({ contender }) => contender === 'container' || contender === 'machine');
    if (own === undefined) return [];
    return Object.entries(GOALS[part](own, none)).map(([text, { value, met }]) =>
      ({ scope: title, text, met, details: [`it is ${value.toFixed(2)}`] }));
  });
}

module.exports = { judge };
