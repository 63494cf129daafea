'use strict';

// Addons that run the loop inside a task or make callbacks of their own: a small one that is
// compiled here, and deasync, which applications use. The programs are in fixtures/scenarios/,
// named by the guarantees.
// @host programs each-node

const fs = require('node:fs');
const path = require('node:path');
const { FIXTURES, assertOnEachNode, nodes, order, testScenarios } = require('../helpers/loop.js');
const { canCompile, nestedAddon } = require('../helpers/nested-addon.js');

if (canCompile) {
  describe('a nested run of the loop', () => {
    before(() => (process.env.NESTED_ADDON = nestedAddon()));
    after(() => delete process.env.NESTED_ADDON);

    testScenarios('nested');
  });
}

// deasync has binaries only for some platforms and versions of Node.
function hasDeasync({ major }) {
  const name = `${process.platform}-${process.arch}-node-${major}`;
  const folder = path.dirname(require.resolve('deasync/package.json'));
  return fs.existsSync(path.join(folder, 'bin', name));
}

const withDeasync = nodes.filter(hasDeasync);

if (withDeasync.length > 0) {
  describe('deasync', () => {
    it('in a task of each priority waits for everything that a loop can run', async () => {
      const priorities = ['user-blocking', 'user-visible', 'background'];
      const tasks = priorities.map((each) => `${each} ${each} ${each}+`).join(' ');
      const expected = Array(3).fill(`begin ${tasks} timer immediate io end settled`).join(' ');
      const args = [path.join(FIXTURES, 'deasync.js'), require.resolve('deasync')];
      await assertOnEachNode(expected, (node) => order(node, args), { on: withDeasync });
    });
  });
}
