'use strict';

// Short runs of benchmarks: their servers, their load processes and the whole commands. They are
// too short for figures; what counts is that no visitor is lost, and that each table has its rows.
// @lane long

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { useFolder } = require('../helpers/folders.js');
const { LIMIT, ROOT, run } = require('../helpers/programs.js');
const parsers = require('../../bench/json/parsers');
const { createBytes } = require('../../bench/json/server.js');

const HARNESS = path.join(ROOT, 'bench', 'harness', 'benchmark.js');

const served = (kinds) => Object.values(kinds).reduce((sum, kind) => sum + kind.served, 0);

describe('a short run of', () => {
  const inFolder = useFolder();

  // By arguments: whether a row has its figures, and no visitor is lost.
  const RUNS = {
    'equals --seconds 0.5 --warm 0 --mixes mix --loads 0.3 --svg equals.svg':
      ({ failed, kinds }) => failed === 0 && served(kinds) > 10,
    'equals --seconds 1 --warm 0 --mixes tenants,stream,background --contenders admission':
      ({ failed, kinds }) => failed === 0 && served(kinds) > 0,
    'overload --seconds 1 --warm 0 --only loads,connections,http2 --loads 2.5':
      ({ classes: { all } }) => all.served > 0 && all.served + all.refused + all.left === all.sent,
    'papers --seconds 0.5 --loads 0.8 --contenders plain,piscina,classes --svg papers.svg':
      ({ types, failed = 0 }) => (types === undefined || types.all.count > 0) && failed === 0,
    'json --sizes 0.3,20 --only JSON.parse,yieldable-json':
      ({ time, length, health, parsed }) => parsed && length >= 1000 && time > 0 && health.p50 > 0,
    'report --rounds 1 --seconds 0.1 --warm 0': ({ runs: [ms], ratio }) => ms > 0 && ratio > 0,
    'site --rounds 1 --seconds 0.1': ({ reading, alone, leaving, kinds, classes }) =>
      [reading, alone, leaving].some((visits) => visits?.page.p50 > 0)
        || [kinds?.short, classes?.all].some((each) => each?.sent > 0),
    'shop --seconds 1 --rounds 1 --loads 0.5':
      ({ kinds: { cart }, cpu }) => cart.share > 0 && cart.p50 > 0 && cpu > 0,
    // Under load an agent may not have completed a turn in this time.
    'agents --only agents --seconds 1 --warm 0':
      ({ share, first, gap, agents }) => share > 0 && first.p50 > 0 && gap.mean > 0 && agents >= 0,
  };
  for (const [command, isRight] of Object.entries(RUNS)) {
    it(command, async () => {
      const [name, ...args] = command.split(' ');
      const [json, markdown] = ['json', 'md'].map((type) => inFolder(`results.${type}`));
      const program = [HARNESS, name, '--json', json, '--markdown', markdown, ...args];
      const limit = { timeout: 4 * LIMIT, cwd: inFolder() };
      const { code, stdout, stderr } = await run({ path: process.execPath }, program, limit);
      assert.equal(code, 0, stderr);
      const text = fs.readFileSync(markdown, 'utf8');
      const rows = JSON.parse(fs.readFileSync(json, 'utf8')).cells.flatMap((cell) => cell.rows);
      assert.ok(rows.length > 1);
      for (const row of rows) {
        assert.ok(isRight(row), JSON.stringify(row));
        assert.ok(stdout.includes(`│ ${row.name} `), stdout);
        assert.ok(text.includes(`\n| ${row.name} |`), text);
      }
      for (const svg of args.filter((each) => each.endsWith('.svg'))) {
        assert.match(fs.readFileSync(inFolder(svg), 'utf8'), /^<svg /);
      }
    }).timeout(5 * LIMIT);
  }
});

it('the parsers of bench json have the whole value of a text', async () => {
  const bytes = createBytes(0.3);
  for (const name of parsers.NAMES) {
    const parse = await parsers.createParser(name, ROOT);
    assert.deepEqual(await parse(bytes), JSON.parse(bytes.toString()), name);
  }
}).timeout(4 * LIMIT);
