'use strict';

// The options of `npm run bench shop`.

const { choices, createOptions, file, flag, number, numbers } = require('../options');

const { NAMES } = require('./contenders');

const ABOUT = `Visitors arrive at the shop of examples/shop, plain and with the package, and leave
after five seconds: six minutes by default.`;

const readOptionsOrExplain = createOptions('bench shop', ABOUT, {
  seconds: number('let visitors arrive for N seconds in each row', 15,
    { min: 0.5, max: 600, quick: 5 }),
  runs: number('measure each row N times, each time with other visitors', 3,
    { min: 1, max: 100, isInteger: true, quick: 1 }),
  loads: numbers('visitors, as a multiple of what the plain shop can serve', [0.5, 0.9, 1.5],
    { min: 0.1, max: 20 }),
  contenders: choices('compare these of', Object.keys(NAMES)),
  quick: flag('one run of 5 seconds: a minute'),
  markdown: file('write the table in Markdown to FILE'),
});

module.exports = { readOptionsOrExplain };
