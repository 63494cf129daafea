'use strict';

// The options of `npm run bench idle`.

const { choices, createOptions, file, flag, number, numbers } = require('../options');

const PARTS = ['grid', 'batch', 'shared', 'workers', 'halved', 'neighbour'];
const CONTENDERS = ['container', 'loop', 'immediate', 'bullmq', 'fleet'];

const ABOUT = `Background work beside requests, in a control group with a CPU quota, and on a
processor that has other work. The contenders bullmq and fleet need a redis-server.`;

const readOptionsOrExplain = createOptions('bench idle', ABOUT, {
  seconds: number('measure each configuration for N seconds a round', 10,
    { min: 1, max: 600, quick: 5 }),
  settle: number('let each run for N seconds before that', 3, { min: 0.1, max: 600 }),
  rounds: number('measure each configuration N times', 3,
    { min: 1, max: 100, isInteger: true, quick: 1 }),
  quota: numbers('quotas of the grid, in percent of a processor', [50, 25, 200],
    { min: 1, max: 10_000, quick: [50] }),
  load: numbers('requests, in percent of the quota or of a processor', [10, 30, 60],
    { min: 1, max: 90, quick: [30] }),
  contenders: choices('compare these of', CONTENDERS),
  only: choices('only these parts of', PARTS),
  quick: flag('a quota of 50 %, a load of 30 %, one round of 5 seconds'),
  svg: file('write the plot of the grid to FILE'),
});

module.exports = { readOptionsOrExplain };
