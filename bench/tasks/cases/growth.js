'use strict';

// Compares the cost of a task with 10^6 queued to that with 10^3, and how much of each is garbage
// collection, which takes longer the more objects are alive.

const { ROWS } = require('../contenders.js');
const { atMost } = require('../goals.js');
const { collect, watchGarbage } = require('../garbage.js');
const { measureContender, runBatch } = require('../batches.js');

const FEW = 1e3;

const MANY = 1e6;

// The number of small batches, enough to include garbage collections too.
const TIMES = 100;

async function perTask(contender, count, times) {
  let elapsed = 0;
  let garbage = 0;
  collect();
  for (let i = 0; i < times; i++) {
    const batch = await watchGarbage(() => runBatch(count, (task) => contender.post(task)));
    elapsed += batch.end - batch.start;
    garbage += batch.garbage;
  }
  const scale = 1e6 / (count * times);
  return { cost: elapsed * scale, garbage: garbage * scale };
}

function growthCases() {
  return [
    {
      name: 'growth',
      title: 'cost per task with 10^6 queued against 10^3',
      unit: 'times',
      details: { 'few': 'ns', 'of it gc': 'ns', 'many': 'ns', 'of that gc': 'ns' },
      rows: ROWS.post,
      goals: [atMost(1.5, 'times')],
      isLong: true,
      measure: measureContender(
        { method: 'post', count: MANY },
        async (contender, { isWarmUp }) => {
          const few = await perTask(contender, FEW, TIMES);
          if (isWarmUp) return { value: 1 };
          const many = await perTask(contender, MANY, 1);
          return {
            value: many.cost / few.cost,
            details: {
              'few': few.cost,
              'of it gc': few.garbage,
              'many': many.cost,
              'of that gc': many.garbage,
            },
          };
        },
      ),
    },
  ];
}

module.exports = { growthCases };
