'use strict';

// Short runs of bench/equals, too short for figures: no page is lost, and the command writes its
// results.

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { LIMIT } = require('../helpers/loop.js');

const { NAMES } = require('../../bench/equals/contenders.js');

const MAIN = path.join(__dirname, '../../bench/equals/main.js');

describe('a run of bench equals', () => {
  it('serves every page of every contender, and writes its table and its results', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-equals-'));
    try {
      const json = path.join(folder, 'results.json');
      const { stdout } = await promisify(execFile)(process.execPath, [
        MAIN, '--seconds', '1', '--warm', '0', '--loads', '0.3', '--json', json,
      ]);
      const { cells: [{ kinds, rows }] } = JSON.parse(fs.readFileSync(json, 'utf8'));
      assert.deepEqual(rows.map(({ contender }) => contender), Object.keys(NAMES));
      const counts = rows.map((row) => kinds.map((kind) => row.kinds[kind].count));
      assert.ok(counts[0][0] > 10, `${counts[0]} pages`);
      for (const [index, { name, failed }] of rows.entries()) {
        assert.deepEqual(counts[index], counts[0], name);
        assert.equal(failed, 0, name);
        assert.ok(stdout.includes(`│ ${name} `), stdout);
      }
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }).timeout(2 * LIMIT);
});
