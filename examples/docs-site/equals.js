'use strict';

// The table of short pages beside long ones of the same priority. Its servers and visitors are
// those of bench/equals, which has more of them and measures for longer.

const { createPlan, measureCell, summarize } = require('../../bench/equals/cells');
const { createOpenLoop } = require('../../bench/open-loop');

const CONTENDERS = require.resolve('../../bench/equals/contenders');

const PLAN = {
  mixes: ['mix'], loads: [0.6], contenders: ['plain', 'immediate', 'controllerFor'],
  seconds: 4, warm: 0.5,
};

// The number of the visitors, of whom there are others for each. These ask for long pages about as
// often in the few seconds as all do in the long run.
const RUN = 11;

const [{ title: TITLE }] = createPlan(PLAN);

/** Resolves to the rows. `step(name)` is called before each one. */
async function measureEquals({ startChild, step }) {
  const [cell] = createPlan(PLAN);
  const openLoop = createOpenLoop({ startChild, contenders: CONTENDERS });
  await measureCell(cell, { run: RUN, step }, openLoop);
  await openLoop.end();
  return summarize(cell).rows.map(({ name, kinds }) => ({ name, ...kinds }));
}

module.exports = { ROWS: PLAN.contenders.length, TITLE, measureEquals };
