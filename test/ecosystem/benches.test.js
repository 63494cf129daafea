'use strict';

// Short runs of benchmarks: their servers, their load processes and the whole commands. They are
// too short for figures; what counts is that no visitor is lost, and that each table has its rows.
// @lane long

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { useFolder } = require('../helpers/folders.js');
const { LIMIT, ROOT, run } = require('../helpers/programs.js');
const equals = require('../../bench/equals/contenders.js');
const parsers = require('../../bench/json/parsers');
const { createBytes } = require('../../bench/json/server.js');
const { NAMES } = require('../../bench/overload/contenders.js');
const papers = require('../../bench/papers/contenders.js');
const { WORKLOADS } = require('../../bench/papers/workloads.js');

const HARNESS = path.join(ROOT, 'bench', 'harness', 'benchmark.js');

const contendersOf = (rows) => rows.map(({ contender }) => contender);

describe('a short run of', () => {
  const inFolder = useFolder();

  // Tests a benchmark with arguments. `judge` gets the results, also in Markdown. The tables have a
  // row for each.
  function test(title, command, judge) {
    const [name, ...args] = command.split(' ');
    it(`${name} ${title}`, async () => {
      const [json, markdown] = ['json', 'md'].map((type) => inFolder(`results.${type}`));
      const program = [HARNESS, name, '--json', json, '--markdown', markdown, ...args];
      const limit = { timeout: 4 * LIMIT, cwd: inFolder() };
      const { code, stdout, stderr } = await run({ path: process.execPath }, program, limit);
      assert.equal(code, 0, stderr);
      const results = JSON.parse(fs.readFileSync(json, 'utf8'));
      const text = fs.readFileSync(markdown, 'utf8');
      judge(results, text);
      for (const row of results.cells.flatMap(({ rows }) => rows)) {
        assert.ok(stdout.includes(`│ ${row.name} `), stdout);
        assert.ok(text.includes(`\n| ${row.name} |`), text);
      }
      for (const svg of args.filter((each) => each.endsWith('.svg'))) {
        assert.match(fs.readFileSync(inFolder(svg), 'utf8'), /^<svg /);
      }
    }).timeout(5 * LIMIT);
  }

  test('serves every page of every contender',
    'equals --seconds 0.5 --warm 0 --mixes mix --loads 0.3 --svg equals.svg',
    ({ cells: [{ kinds, rows }] }) => {
      assert.deepEqual(contendersOf(rows), Object.keys(equals.NAMES));
      const counts = rows.map((row) => kinds.map((kind) => row.kinds[kind].served));
      assert.ok(counts[0][0] > 10, `${counts[0]} pages`);
      for (const [index, { name, failed }] of rows.entries()) {
        assert.deepEqual([counts[index], failed], [counts[0], 0], name);
      }
    });

  const mixes = ['weights', 'tenants', 'stream', 'background'];
  test('knows what became of the pages of tenants, and of events and background tasks',
    `equals --seconds 0.5 --warm 0 --mixes ${mixes} --contenders controllerFor,admission`,
    ({ cells, goals }) => {
      assert.deepEqual(cells.map(({ mix }) => mix), mixes);
      for (const { mix, rows } of cells) {
        for (const { name, failed, kinds } of rows) {
          const served = Object.values(kinds).some((kind) => kind.served > 0);
          assert.deepEqual([failed, served], [0, true], `${mix}: ${name}`);
        }
      }
      assert.equal(goals.length, 12);
    });

  const parts = ['loads', 'connections', 'http2'];
  test('knows what became of each visitor, on each kind of connection',
    `overload --seconds 1 --warm 0 --only ${parts} --loads 2.5`, ({ cells }) => {
      assert.deepEqual(cells.map(({ part }) => part), parts);
      for (const { part, rows } of cells) {
        assert.deepEqual(contendersOf(rows), Object.keys(NAMES));
        for (const { name, classes: { all: { sent, served, refused, left } } } of rows) {
          // Under load none can serve all.
          assert.ok(served < sent && served + refused + left === sent, `${part}: ${name}`);
        }
      }
    });

  test('serves every request of every workload beside a pool',
    'papers --seconds 0.5 --loads 0.8 --contenders plain,piscina,classes --svg papers.svg',
    ({ cells }, markdown) => {
      assert.ok(markdown.includes('](papers.svg)'), markdown);
      const workloads = cells.filter(({ workload }) => workload !== undefined);
      assert.deepEqual(workloads.map(({ workload }) => workload), Object.keys(WORKLOADS));
      for (const { title, rows: [plain, ...rows] } of workloads) {
        const { count } = plain.types.all;
        assert.ok(count > 0 && rows.some(({ name }) => name === papers.NAMES.piscina), title);
        for (const { name, types, failed = 0 } of rows) {
          assert.deepEqual([types.all.count, failed], [count, 0], `${title}: ${name}`);
        }
      }
    });

  // Of these it is enough that each row has figures.
  const RUNS = {
    'json --sizes 0.3,20 --only JSON.parse,yieldable-json':
      ({ time, length, health, parsed }) => parsed && length >= 1000 && time > 0 && health.p50 > 0,
    'report --rounds 1 --seconds 0.1 --warm 0': ({ runs: [ms], ratio }) => ms > 0 && ratio > 0,
    'shop --seconds 1 --rounds 1 --loads 0.5':
      ({ kinds: { cart }, cpu }) => cart.share > 0 && cart.p50 > 0 && cpu > 0,
    // Under load an agent may not have completed a turn in this time.
    'agents --only agents --seconds 1 --warm 0':
      ({ share, first, gap, agents }) => share > 0 && first.p50 > 0 && gap.mean > 0 && agents >= 0,
  };
  for (const [command, hasFigures] of Object.entries(RUNS)) {
    test('has figures in each row', command, ({ cells }) => {
      for (const row of cells.flatMap(({ rows }) => rows)) {
        assert.ok(hasFigures(row), JSON.stringify(row));
      }
    });
  }
});

it('the parsers of bench json have the whole value of a text', async () => {
  const bytes = createBytes(0.3);
  for (const name of parsers.NAMES) {
    const parse = await parsers.createParser(name, ROOT);
    assert.deepEqual(await parse(bytes), JSON.parse(bytes.toString()), name);
  }
}).timeout(4 * LIMIT);
