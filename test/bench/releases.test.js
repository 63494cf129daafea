'use strict';

// The comparison of two results, and the parts of a result that a release keeps.
// @lane whole

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { spawnSync } = require('node:child_process');
const { pairsOf, readReleases, withResult } = require('../../bench/harness/releases.js');
const { withFolder } = require('../helpers/folders.js');
const { ROOT } = require('../helpers/docs.js');

const row = (name, median) => ({ name, median, ratio: 2, details: [], runs: [1], rounds: [{}] });

const result = (more = {}) => ({
  benchmark: 'tasks', version: '0.1.0', date: '2026-12-01', node: 'v24.1.0', machine: 'x64, 2 × A',
  options: {}, goals: [], faults: [],
  cells: [{ title: 'batch', unit: 'ns', goals: [null], rows: [row('ours', 100), row('old', 1)] }],
  ...more,
});

describe('npm run bench compare', () => {
  const run = (...args) => {
    const options = { cwd: ROOT, encoding: 'utf8' };
    return spawnSync(process.execPath, ['scripts/bench.js', 'compare', ...args], options);
  };

  it('shows the figures that both results have, and warns of another machine', async () => {
    const cells = [
      { title: 'new', rows: [row('ours', 1)] },
      { title: 'batch', unit: 'ns', rows: [row('new', 1), row('old', null), row('ours', 150)] },
    ];
    for (const machine of ['x64, 2 × A', 'x64, 8 × B']) {
      await withFolder((folder) => {
        const files = [result(), result({ cells, machine })].map((each, i) => {
          const file = `${folder}/${i}.json`;
          fs.writeFileSync(file, JSON.stringify(each));
          return file;
        });
        const { status, stdout, stderr } = run(...files);
        assert.equal(status, 0, stderr);
        assert.match(stdout, /ours, ns .*100 .*150 .*1\.50/);
        assert.doesNotMatch(stdout, /\b(?:old|new)\b/);
        assert.equal(stdout.includes('The machines differ'), machine.endsWith('B'));
      });
    }
  });

  it('compares results of the same benchmark and major version of Node', () => {
    const ones = [result(), result({ benchmark: 'ssr' }), result({ node: 'v22.0.0' })];
    const others = [result({ node: 'v24.9.0' }), result({ node: 'v26.0.0' })];
    assert.deepEqual(pairsOf(ones, others), [[ones[0], others[0]]]);
  });
});

describe('the results of the releases', () => {
  it('have one result of each benchmark, release, Node and machine, the newest', () => {
    const names = ['benchmark', 'version', 'node', 'machine'];
    const all = [...names.map((name) => result({ [name]: 'v1' })), result({ date: '2026-12-02' })]
      .reduce(withResult, [result()]);
    assert.equal(all.length, 1 + names.length);
    assert.equal(all.filter(({ date }) => date === '2026-12-02').length, 1);
  });

  it('are those of the file, each with its machine', () => {
    for (const { version, date, node, machine, benchmark } of readReleases()) {
      assert.ok([version, date, node, machine, benchmark].every(Boolean), benchmark);
    }
  });
});
