'use strict';

// Whole sites, built from the lines of the documents, under clients that behave badly. sites/ has
// one for each way to take requests; examples-next.test.js attacks the example on Next.js.

const { LIMIT, assertOnEachNode, nodes } = require('../helpers/loop.js');
const { underFire } = require('../helpers/sites.js');
const sites = require('./sites/index.js');

const OLDEST_AND_NEWEST = [...new Set([nodes.at(0), nodes.at(-1)])];

const OFF = { UV_SCHEDULER_DISABLE: 'all' };

describe('under clients that behave badly every visitor is served by a site on', () => {
  for (const name of Object.keys(sites)) {
    it(name, async () => {
      await assertOnEachNode([], (node) => underFire(node, name), { on: OLDEST_AND_NEWEST });
    }).timeout(8 * LIMIT);
  }

  for (const name of Object.keys(sites)) {
    it(`${name} whose scheduler is off`, async () => {
      const on = nodes.slice(-1);
      await assertOnEachNode([], (node) => underFire(node, name, { env: OFF }), { on });
    }).timeout(8 * LIMIT);
  }
});
