'use strict';

// The table with more visitors than a server can serve. Its servers and visitors are those of
// bench/overload, which has more of them and measures for longer.

const { createMeasure } = require('../../bench/overload/measure');
const { createPlan } = require('../../bench/overload/parts');
const { summarize } = require('../../bench/overload/statistics');
const { PAGE_MS } = require('../../bench/overload/work');

// As a multiple of what the server can serve.
const LOAD = 2.5;

const PLAN = {
  parts: ['loads'], loads: [LOAD], contenders: ['plain', 'pressure', 'admission'],
  seconds: 2, warm: 0.5,
};

// What the table says of its servers needs no more than this.
const CAPACITY = 1000 / PAGE_MS;

/** Resolves to the rows. `step(name)` is called before each one. */
async function measureOverload({ startChild, step }) {
  const [cell] = createPlan(PLAN);
  const { measureCell, end } = createMeasure({ startChild });
  await measureCell(cell, { step, capacity: CAPACITY });
  await end();
  return summarize(cell).rows;
}

module.exports = { LOAD, ROWS: PLAN.contenders.length, measureOverload };
