'use strict';

// The table with more visitors than a server can serve. Its servers and visitors are those of
// bench/overload, which has more of them and measures for longer.

const { roundsOf } = require('../../bench/harness/benchmark');
const { createProcesses } = require('../../bench/harness/processes');
const { COLUMNS, measure, open, plan, summarize } = require('../../bench/overload');
const { PAGE_MS } = require('../../bench/overload/contenders');

// As a multiple of what the server can serve.
const LOAD = 2.5;

const PLAN = {
  only: ['loads'], loads: [LOAD], contenders: ['plain', 'pressure', 'admission'],
  seconds: 2, warm: 0.5,
};

// The load that the table needs to tell its servers apart.
const CAPACITY = 1000 / PAGE_MS;

/** Resolves to the rows. `step(name)` is called before each one. */
async function measureOverload({ startChild, step }) {
  const [cell] = plan(PLAN);
  const opened = { ...open(PLAN, createProcesses(startChild)), findCapacity: () => CAPACITY };
  await measure(cell, roundsOf(cell, [0], ({ name }) => step(name)), opened);
  await opened.end();
  return summarize(cell).rows;
}

module.exports = { COLUMNS, LOAD, ROWS: PLAN.contenders.length, measureOverload };
