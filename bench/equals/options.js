'use strict';

// The options of `npm run bench equals`.

const { choices, createOptions, file, flag, number, numbers } = require('../options');

const { NAMES } = require('./contenders');
const { MIXES } = require('./mixes');

const ABOUT = `Pages of one priority share the thread of a server: half an hour by default.
The mixes of more than pages (weights, tenants, stream, background) have loads of their own.`;

const readOptionsOrExplain = createOptions('bench equals', ABOUT, {
  seconds: number('measure each row for N seconds', 60, { min: 0.5, max: 3600, quick: 15 }),
  warm: number('send requests for N seconds before that', 3, { min: 0, max: 600 }),
  runs: number('measure each row N times, each time with other visitors', 1,
    { min: 1, max: 100, isInteger: true }),
  mixes: choices('only these mixes of pages of', Object.keys(MIXES)),
  loads: numbers("shares of the thread's time that the pages take", [0.6], { min: 0.05, max: 2 }),
  contenders: choices('compare these of', Object.keys(NAMES)),
  quick: flag('15 seconds for each row: eight minutes'),
  markdown: file('write the results in Markdown to FILE'),
  svg: file('write the plot of the loads of `mix` to DIR', { hint: 'DIR' }),
});

module.exports = { readOptionsOrExplain };
