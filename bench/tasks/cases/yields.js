'use strict';

// Measures serial yields, one after the other, outside any task and inside one.

const { median } = require('simple-statistics');
const { ROWS } = require('../contenders.js');
const { timesAsFast } = require('../goals.js');
const { measureContender } = require('../batches.js');

const GOALS = [
  timesAsFast('timers/promises scheduler.yield', 3),
  timesAsFast('scheduler-polyfill', 3.5),
];

// The number of yields that are timed together.
const SEGMENT = 1000;

// Returns ns per yield of the median segment, as timePerTask() does for small batches.
async function yieldSerially(contender, count) {
  const elapsed = [];
  for (let done = 0; done < count; done += SEGMENT) {
    const start = performance.now();
    for (let i = 0; i < SEGMENT; i++) await contender.yield();
    elapsed.push(performance.now() - start);
  }
  return (median(elapsed) * 1e6) / SEGMENT;
}

function yieldCases({ yields }) {
  const common = { unit: 'ns/yield', goals: GOALS };
  return [
    {
      ...common,
      name: 'yield-outside',
      title: `${yields} serial yields outside any task`,
      rows: ROWS.yield,
      measure: measureContender(
        { method: 'yield' },
        async (contender) => ({ value: await yieldSerially(contender, yields) }),
      ),
    },
    {
      ...common,
      name: 'yield-inside',
      title: `${yields} serial yields inside a task`,
      rows: ROWS.inside,
      measure: measureContender(
        { method: 'inside' },
        async (contender) => {
          const value = await contender.inside(() => yieldSerially(contender, yields));
          return { value };
        },
      ),
    },
  ];
}

module.exports = { yieldCases, yieldSerially };
