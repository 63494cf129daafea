'use strict';

// What addons do to the loop: runs of it from inside a task, callbacks of their own; by a small one
// that is compiled here. The programs, whose
// names are the guarantees, are in fixtures/scenarios/.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { FIXTURES, testScenarios } = require('./helpers-loop.js');

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
