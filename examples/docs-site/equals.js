'use strict';

// The table of short pages beside long ones of the same priority. Its servers and visitors are
// those of bench/equals, which has more of them and measures for longer.

const { roundsOf } = require('../../bench/harness/benchmark');
const { createProcesses } = require('../../bench/harness/processes');
const { measure, open, plan, summarize } = require('../../bench/equals');

const PLAN = {
  mixes: ['mix'], loads: [0.6], contenders: ['plain', 'immediate', 'controllerFor'],
  seconds: 4, warm: 0.5,
};

// The number of the visitors, of whom there are others for each. These ask for long pages about as
// often in the few seconds as all do in the long run.
const RUN = 11;

const [{ title: TITLE }] = plan(PLAN);

/** Resolves to the rows. `step(name)` is called before each one. */
async function measureEquals({ startChild, step }) {
  const [cell] = plan(PLAN);
  const opened = open(PLAN, createProcesses(startChild));
  await measure(cell, roundsOf(cell, [RUN], ({ name }) => step(name)), opened);
  await opened.end();
  return summarize(cell).rows.map(({ name, kinds }) => ({ name, ...kinds }));
}

module.exports = { ROWS: PLAN.contenders.length, TITLE, measureEquals };
