'use strict';

// Compares delayed tasks with Node's timers: the processor time of all threads, and the time until
// the last one has run.

const { ROWS } = require('../contenders.js');
const { Counter, measureContender } = require('../batches.js');

const TASKS = 2e4;

const LONGEST = 200;

async function delayed(contender) {
  const counter = new Counter();
  const promises = new Array(TASKS);
  const start = performance.now();
  const before = process.cpuUsage();
  for (let i = 0; i < TASKS; i++) {
    promises[i] = contender.delayed(counter.task, 1 + (i % LONGEST));
  }
  const results = await Promise.all(promises);
  const { user, system } = process.cpuUsage(before);
  const wall = performance.now() - start;
  counter.check(results, TASKS);
  return { value: ((user + system) * 1e3) / TASKS, details: { wall } };
}

function delayCases() {
  return [
    {
      name: 'delay',
      title: `${TASKS} tasks delayed by 1 to ${LONGEST} ms`,
      unit: 'ns of CPU/task',
      details: { wall: 'ms' },
      rows: ROWS.delayed,
      goals: [],
      measure: measureContender({ method: 'delayed' }, delayed),
    },
  ];
}

module.exports = { delayCases };
