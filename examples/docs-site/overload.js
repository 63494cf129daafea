'use strict';

// The table with more visitors than a server can serve. Its servers and visitors are those of
// bench/overload, which has more of them and measures for longer.

const { createOpenLoop } = require('../../bench/open-loop');
const { createPlan, measureCell } = require('../../bench/overload/cells');
const { PAGE_MS } = require('../../bench/overload/contenders');
const { summarize } = require('../../bench/overload/statistics');

const CONTENDERS = require.resolve('../../bench/overload/contenders');

// As a multiple of what the server can serve.
const LOAD = 2.5;

const PLAN = {
  only: ['loads'], loads: [LOAD], contenders: ['plain', 'pressure', 'admission'],
  seconds: 2, warm: 0.5,
};

// What the table says of its servers needs no more than this.
const CAPACITY = 1000 / PAGE_MS;

/** Resolves to the rows. `step(name)` is called before each one. */
async function measureOverload({ startChild, step }) {
  const [cell] = createPlan(PLAN);
  const openLoop = createOpenLoop({ startChild, contenders: CONTENDERS });
  await measureCell(cell, { step }, openLoop, () => CAPACITY);
  await openLoop.end();
  return summarize(cell).rows;
}

module.exports = { LOAD, ROWS: PLAN.contenders.length, measureOverload };
