'use strict';

// What addons do to the loop: runs of it from inside a task, callbacks of their own; by a small one
// that is compiled here, and by one that applications use. The programs, whose names are the
// guarantees, are in fixtures/scenarios/.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { FIXTURES, assertOnEachNode, order, testScenarios } = require('./helpers-loop.js');
const hosts = require('./hosts');

describe('a nested run of the loop', () => {
  let folder;

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-nested-'));
    const addon = path.join(folder, 'nested.node');
    const platform = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [];
    const source = path.join(FIXTURES, 'nested', 'nested.c');
    execFileSync('cc', ['-shared', '-fPIC', ...platform, '-o', addon, source]);
    process.env.NESTED_ADDON = addon;
  });

  after(() => {
    delete process.env.NESTED_ADDON;
    fs.rmSync(folder, { recursive: true, force: true });
  });

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
