'use strict';

// `npm start fleet` with a real Redis.
// @lane measuring

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { useFolder } = require('../helpers/folders.js');
const { LIMIT, ROOT, run } = require('../helpers/programs.js');

const START = path.join(ROOT, 'scripts', 'start.js');
const SLOW = 10 * LIMIT;

const fleet = (...args) =>
  run({ path: process.execPath }, [START, 'fleet', ...args], { cwd: ROOT, timeout: SLOW });

describe('npm start fleet', () => {
  const inFolder = useFolder();

  it('loses no job, and shows the table and the picture', async () => {
    const plot = inFolder('fleet.svg');
    const { code, stdout, stderr } = await fleet('--seconds', '1', '--plot', plot);
    assert.equal(code, 0, stderr);
    for (const server of ['server 1, heavy load', 'server 2, light load']) {
      for (const jobs of ['no jobs', 'with jobs']) {
        assert.match(stdout, new RegExp(`│ ${server}, ${jobs} +│ +\\d+\\.\\d │`));
      }
    }
    assert.match(stdout, /^kept {4}no job is lost \(0 lost, 0 failed\)$/m);
    assert.match(stdout, /^kept {4}no job is run twice \(0\)$/m);
    const [, done] = /^(\d+) jobs done/m.exec(stdout);
    assert(Number(done) > 0);
    const svg = fs.readFileSync(plot, 'utf8');
    for (const text of ['server 1', 'server 2', 'jobs per second']) {
      assert(svg.includes(text), text);
    }
    assert.match(stderr, /the load moves to the other server/);
  }).timeout(SLOW);
});
