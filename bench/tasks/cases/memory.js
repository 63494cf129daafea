'use strict';

// Measures the memory of a queued task and its promise: bytes in JavaScript's heap, external bytes
// that V8 knows of, and pages of the process. Each process takes only one sample, because a second
// one would reuse pages.

const { ROWS } = require('../contenders.js');
const { collect } = require('../garbage.js');
const { timesAsMuch } = require('../goals.js');
const { Counter, measureContender, runBatch } = require('../batches.js');

const WARM_UP = 1e3;

async function bytesPerTask(contender, count) {
  // Compiled code is in the heap, too.
  await runBatch(WARM_UP, (task) => contender.post(task));
  const counter = new Counter();
  const promises = new Array(count).fill(undefined);
  const { task } = counter;
  collect();
  const before = process.memoryUsage();
  for (let i = 0; i < count; i++) promises[i] = contender.post(task);
  collect();
  const after = process.memoryUsage();
  counter.check(await Promise.all(promises), count);
  const perTask = (key) => (after[key] - before[key]) / count;
  return {
    value: perTask('heapUsed') + perTask('external'),
    details: { resident: perTask('rss') },
  };
}

function memoryCases({ queued }) {
  return [
    {
      name: 'memory',
      title: `heap and external memory for each of ${queued} queued tasks`,
      unit: 'bytes/task',
      details: { resident: 'bytes/task' },
      rows: ROWS.post,
      goals: [timesAsMuch('timers/promises setImmediate', 1.2)],
      processes: 'each sample',
      maxRounds: 3,
      measure: measureContender({ method: 'post' }, (contender) => {
        return bytesPerTask(contender, queued);
      }),
    },
  ];
}

module.exports = { memoryCases };
