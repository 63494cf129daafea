'use strict';

// A short run of bench/json, too short for figures: each parser makes the whole value of the text,
// and the command has a row for each.

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { LIMIT } = require('../helpers/programs.js');

const { NAMES, createParser } = require('../../bench/json/parsers');
const { createBytes } = require('../../bench/json/server.js');

const ROOT = path.join(__dirname, '../..');
const HARNESS = path.join(ROOT, 'bench/harness/benchmark.js');

describe('bench json', () => {
  for (const name of NAMES) {
    it(`has the whole value of a text by ${name}`, async () => {
      const bytes = createBytes(0.3);
      assert.deepEqual(await createParser(name, ROOT)(bytes), JSON.parse(bytes.toString()));
    }).timeout(LIMIT);
  }

  it('measures each parser beside health checks', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-json-'));
    try {
      const json = path.join(folder, 'results.json');
      await promisify(execFile)(process.execPath,
        [HARNESS, 'json', '--sizes', '0.3,20', '--only', 'JSON.parse,yieldable-json',
          '--json', json]);
      const { cells } = JSON.parse(fs.readFileSync(json, 'utf8'));
      assert.deepEqual(cells.map(({ rows }) => rows.map(({ name }) => name)),
        [['JSON.parse', 'yieldable-json'], ['JSON.parse']]);
      for (const { time, lag, length, health, parsed } of cells.flatMap(({ rows }) => rows)) {
        assert.ok(parsed && length >= 1000 && lag >= 0 && lag <= time && health.p50 > 0);
      }
      // The lag of the loop and the health checks show that a parser blocks the thread.
      const { lag, health } = cells[1].rows[0];
      assert.ok(lag > 20 && health.p99 > 20, `${lag}, ${health.p99} ms`);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }).timeout(LIMIT);
});
