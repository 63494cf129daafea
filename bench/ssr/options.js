'use strict';

// The options of `npm run bench ssr`.

const { choices, createOptions, file, number, numbers } = require('../options');

const STRATEGIES = ['immediate', 'timers', 'polyfill', 'prioritized', 'unchunked'];

const ABOUT = `The site of \`npm start\`, saturated, and synthetic pages whose visitors arrive at
random. The goals need the strategies immediate and prioritized.`;

const readOptionsOrExplain = createOptions('bench ssr', ABOUT, {
  seconds: number('measure each configuration for at least N seconds a round, and up to the end of '
    + 'the list of pages', 1.2, { min: 0.1, max: 600 }),
  rounds: number('measure each configuration N times', 4, { min: 1, max: 100, isInteger: true }),
  pages: numbers('how many pages are requested at once', [1, 4, 16],
    { min: 1, max: 256, isInteger: true }),
  background: number('documents indexed at once for each page requested at once; by default as '
    + 'many as a page has sections, so that both kinds of work are offered alike', null,
  { min: 0.001, max: 100 }),
  open: number('let visitors arrive at random for N seconds a round, on synthetic pages, and '
    + 'measure a synthetic loop; 0: neither', 8, { min: 0, max: 600 }),
  strategies: choices('compare these of', STRATEGIES, { fallback: STRATEGIES.slice(0, -1) }),
  svg: file('write the plots to DIR', { hint: 'DIR', fallback: 'bench/results' }),
});

module.exports = { readOptionsOrExplain };
