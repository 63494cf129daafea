'use strict';

// The comparison of two results, and the parts of a result that a release keeps.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const {
  compare, comparedColumns, introduce, pairsOf, readReleases, withResult,
} = require('../../bench/harness/releases.js');
const { column, nameColumn, ms } = require('../../bench/harness/report.js');
const tasks = require('../../bench/tasks');
const { ROOT } = require('../helpers/docs.js');

const row = (name, p99, more = {}) => ({ name, p99, runs: [1, 2], rounds: [{}], ...more });

const result = (more = {}) => ({
  benchmark: 'tasks', version: '0.1.0', date: '2026-12-01', node: 'v24.1.0', machine: 'x64, 2 × A',
  options: {}, goals: [], faults: [],
  cells: [{ title: 'a cell', unit: 'ns', goals: [null], rows: [row('ours', 10), row('peer', 40)] }],
  ...more,
});

const withRows = (rows) => result({ cells: [{ title: 'a cell', rows }] });

const columns = () => [nameColumn(), column('p99', 'p99', ms), { head: 'text', value: () => 'x' }];

const textOf = (cells) => cells.map(({ title, rows }) =>
  [title, ...rows.map((each) => comparedColumns().map(({ value }) => value(each)))]);

describe('the comparison of two results of a benchmark', () => {
  it('has both figures of each row and column, and their ratio', () => {
    const cells = compare(result(), withRows([row('peer', 60), row('ours', 5)]), columns);
    assert.deepEqual(textOf(cells), [[
      'a cell',
      ['ours, p99', '10.0 ms', '5.0 ms', '0.50'], ['peer, p99', '40.0 ms', '60.0 ms', '1.50'],
    ]]);
  });

  it('leaves out cells, rows and figures that only one of them has', () => {
    const one = withRows([row('ours', 10), row('old', 1), row('unknown', null)]);
    const other = result({
      cells: [
        { title: 'new', rows: [row('ours', 1)] },
        { title: 'a cell', rows: [row('ours', 20), row('new', 1), row('unknown', 1)] },
      ],
    });
    assert.deepEqual(textOf(compare(one, other, columns)),
      [['a cell', ['ours, p99', '10.0 ms', '20.0 ms', '2.00']]]);
    assert.deepEqual(compare(one, result({ cells: [] }), columns), []);
  });

  it('reads the figures of the benchmark of tasks by its own columns', () => {
    const rows = (median) => [{ name: 'ours', median, ratio: 2, details: [] }];
    const cells = [100, 150].map((median) => [{ title: 'batch', unit: 'ns', rows: rows(median) }]);
    const [one, other] = cells.map((each) => result({ cells: each }));
    assert.deepEqual(textOf(compare(one, other, tasks.columns)),
      [['batch', ['ours, ns', '100', '150', '1.50']]]);
  });

  it('is of the same benchmark and major version of Node', () => {
    const ones = [result(), result({ benchmark: 'ssr' }), result({ node: 'v22.0.0' })];
    const others = [result({ node: 'v24.9.0' }), result({ node: 'v26.0.0' })];
    assert.deepEqual(pairsOf(ones, others), [[ones[0], others[0]]]);
  });

  it('warns of different machines', () => {
    const warns = (other) => introduce(result(), other).includes('The machines differ');
    assert.equal(warns(result({ version: '0.2.0' })), false);
    assert.equal(warns(result({ machine: 'x64, 8 × B' })), true);
  });
});

describe('the results of the releases', () => {
  it('keep the figures and the machine, without the runs', () => {
    const [kept] = withResult([], result());
    const rows = [{ name: 'ours', p99: 10 }, { name: 'peer', p99: 40 }];
    assert.deepEqual(kept, {
      benchmark: 'tasks', version: '0.1.0', date: '2026-12-01', node: 'v24.1.0',
      machine: 'x64, 2 × A', cells: [{ title: 'a cell', unit: 'ns', rows }],
    });
    assert.deepEqual(compare(kept, kept, columns), compare(result(), result(), columns));
  });

  it('have one result of each benchmark, release, Node and machine, the newest', () => {
    const names = ['benchmark', 'version', 'node', 'machine'];
    const all = [...names.map((name) => result({ [name]: 'v1' })), result({ date: '2026-12-02' })]
      .reduce(withResult, [result()]);
    assert.equal(all.length, 1 + names.length);
    assert.deepEqual(all.filter(({ date }) => date === '2026-12-02').length, 1);
  });

  it('are those of the file, each with its machine', () => {
    for (const each of readReleases()) {
      const { version, date, node, machine, benchmark } = each;
      assert.ok([version, date, node, machine, benchmark].every(Boolean), JSON.stringify(each));
    }
  });
});

describe('npm run bench compare', () => {
  const run = (...args) => {
    const script = path.join(ROOT, 'scripts', 'bench.js');
    return spawnSync(process.execPath, [script, 'compare', ...args], { encoding: 'utf8' });
  };
  let folder;

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'releases-'));
  });

  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  function write(name, median) {
    const file = path.join(folder, name);
    const rows = [{ name: 'ours', median, details: [] }];
    const cells = [{ title: 'batch', unit: 'ns', rows }];
    fs.writeFileSync(file, JSON.stringify(result({ cells })));
    return file;
  }

  it('compares two files', () => {
    const { status, stdout, stderr } = run(write('one.json', 100), write('other.json', 150));
    assert.equal(status, 0, stderr);
    assert.match(stdout, /ours, ns .*100 .*150 .*1\.50/);
  });

  it('says what it takes', () => {
    for (const args of [[], ['a'], ['--add'], ['--of', 'a']]) {
      const { status, stderr } = run(...args);
      assert.equal(status, 1);
      assert.match(stderr, /Usage: npm run bench compare/);
    }
    const { status, stderr } = run('none', 'none');
    assert.equal(status, 1);
    assert.match(stderr, /none is no file that a benchmark's --json has written/);
  });
});
