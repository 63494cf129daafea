'use strict';

// The options of `npm run bench frameworks`.

const { choices, createOptions, file, number } = require('../options');
const { PROGRAMS } = require('./list');

const ABOUT = 'One page in each framework, at two loads: about 35 minutes.';

const readOptionsOrExplain = createOptions('bench frameworks', ABOUT, {
  seconds: number('let visitors arrive at random for N seconds a run', 4, { min: 0.1, max: 600 }),
  runs: number('measure each configuration N times', 3, { min: 1, max: 100, isInteger: true }),
  only: choices('measure only these of', PROGRAMS.map(({ name }) => name)),
  markdown: file('write the results in Markdown to FILE'),
});

module.exports = { readOptionsOrExplain };
