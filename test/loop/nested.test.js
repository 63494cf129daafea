'use strict';

// An addon that runs the loop inside a task or makes callbacks of its own, compiled here. Its
// programs are in fixtures/scenarios/, named by the guarantees. ../tasks/post-task.test.js has
// deasync.
// @host programs each-node

const { testScenarios } = require('../helpers/loop.js');
const { canCompile, nestedAddon } = require('../helpers/nested-addon.js');

if (canCompile) {
  describe('a nested run of the loop', () => {
    before(() => (process.env.NESTED_ADDON = nestedAddon()));
    after(() => delete process.env.NESTED_ADDON);

    testScenarios('nested');
  });
}
