'use strict';

// What addons do to the loop: runs of it from inside a task, callbacks of their own; by a small one
// that is compiled here, and by one that applications use. The programs, whose names are the
// guarantees, are in fixtures/scenarios/.

const path = require('node:path');
const { FIXTURES, assertOnEachNode, order, testScenarios } = require('./helpers-loop.js');
const hosts = require('./hosts');
const { nestedAddon } = require('./nested-addon.js');

describe('a nested run of the loop', () => {
  before(() => (process.env.NESTED_ADDON = nestedAddon()));
  after(() => delete process.env.NESTED_ADDON);

  testScenarios('nested');
});

// The package that applications do this with. It has executables for some platforms alone.
describe('deasync', () => {
  const program = path.join(FIXTURES, 'deasync.js');
  const priorities = ['user-blocking', 'user-visible', 'background'];
  const tasks = priorities.map((each) => `${each} ${each} ${each}+`).join(' ');
  const expected = `begin ${tasks} timer immediate io end settled`;

  for (const priority of priorities) {
    it(`in a ${priority} task waits for everything that a loop can run`, async () => {
      const args = [program, hosts.deasync, priority];
      const work = (node) => order(node, args, expected, { isTimed: false });
      await assertOnEachNode(expected, work);
    });
  }
});
