'use strict';

// Short runs of bench/equals, too short for figures: no page is lost, and the command writes its
// results.

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { LIMIT } = require('../helpers/programs.js');

const { NAMES } = require('../../bench/equals/contenders.js');

const HARNESS = path.join(__dirname, '../../bench/harness/benchmark.js');

describe('a run of bench equals', () => {
  let folder;

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-equals-'));
  });

  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  // Returns what a short run prints, and its results.
  async function runShortly(...args) {
    const json = path.join(folder, 'results.json');
    const { stdout } = await promisify(execFile)(process.execPath,
      [HARNESS, 'equals', '--seconds', '0.5', '--warm', '0', '--json', json, ...args]);
    return { stdout, ...JSON.parse(fs.readFileSync(json, 'utf8')) };
  }

  it('serves every page of every contender, and writes its tables, plot and results', async () => {
    const [markdown, svg] = ['md', 'svg'].map((type) => path.join(folder, `results.${type}`));
    const { stdout, cells: [{ kinds, rows }] } =
      await runShortly('--mixes', 'mix', '--loads', '0.3', '--svg', svg, '--markdown', markdown);
    assert.deepEqual(rows.map(({ contender }) => contender), Object.keys(NAMES));
    const counts = rows.map((row) => kinds.map((kind) => row.kinds[kind].served));
    assert.ok(counts[0][0] > 10, `${counts[0]} pages`);
    for (const [index, { name, failed }] of rows.entries()) {
      assert.deepEqual(counts[index], counts[0], name);
      assert.equal(failed, 0, name);
      assert.ok(stdout.includes(`│ ${name} `), stdout);
      assert.ok(fs.readFileSync(markdown, 'utf8').includes(`| ${name} |`), name);
    }
    assert.match(fs.readFileSync(svg, 'utf8'), /^<svg /);
  }).timeout(2 * LIMIT);

  it('knows what became of the pages of tenants, and of events and background tasks', async () => {
    const mixes = ['weights', 'tenants', 'stream', 'background'];
    const { cells, goals } = await runShortly('--mixes', mixes.join(),
      '--contenders', 'controllerFor,admission');
    assert.deepEqual(cells.map(({ mix }) => mix), mixes);
    for (const { mix, rows } of cells) {
      for (const { name, failed, kinds, isAlone } of rows) {
        assert.equal(failed, 0, `${mix}: ${name}`);
        for (const [kind, { sent, served }] of Object.entries(kinds)) {
          const text = `${mix}: ${name}: ${served} of ${sent} of ${kind}`;
          // There are few long pages, and no flood while a tenant is by itself.
          assert.ok(sent > 0 || kind === 'long' || isAlone, text);
          // Some of a flood are refused, or leave.
          assert.ok(served === sent || mix === 'tenants', text);
        }
      }
    }
    const scopes = cells.map(({ title }) => goals.filter(({ scope }) => scope === title).length);
    assert.deepEqual(scopes, [2, 4, 2, 4]);
  }).timeout(2 * LIMIT);
});
