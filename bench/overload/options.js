'use strict';

// The options of `npm run bench overload`.

const { choices, createOptions, file, flag, number, numbers } = require('../options');

const { NAMES } = require('./contenders');

const ABOUT = `Visitors arrive at a server that cannot serve them all: 20 minutes by default.
The goals need the contenders plain, priorities and admission.`;

const PARTS = ['loads', 'connections', 'http2', 'burst'];

const readOptionsOrExplain = createOptions('bench overload', ABOUT, {
  seconds: number('measure each row for N seconds; three times as long at loads up to 0.8', 8,
    { min: 0.5, max: 600, quick: 4 }),
  warm: number('send visitors for N seconds before that', 2, { min: 0, max: 600 }),
  burst: number('how many seconds the burst lasts', 10, { min: 0.5, max: 600 }),
  runs: number('measure each row N times, each time with other visitors', 1,
    { min: 1, max: 100, isInteger: true }),
  loads: numbers('visitors, as a multiple of what the server can serve', [0.5, 0.8, 1, 1.5, 2.5, 4],
    { min: 0.1, max: 20, quick: [0.8, 2.5] }),
  contenders: choices('compare these of', Object.keys(NAMES)),
  only: choices('only these parts of', PARTS, { quick: ['loads', 'burst'] }),
  quick: flag('the loads 0.8 and 2.5, 4 seconds each, and the burst: five minutes'),
  markdown: file('write the results in Markdown to FILE'),
  svg: file('write the plots of the loads to DIR', { hint: 'DIR' }),
});

module.exports = { readOptionsOrExplain };
