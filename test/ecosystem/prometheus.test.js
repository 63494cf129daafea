'use strict';

// The alert rules and the dashboard of docs/watching/ with the real promtool and Prometheus,
// which scrapes the site of `npm start -- --serve`.

const assert = require('node:assert/strict');
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { LIMIT, ROOT } = require('../helpers/programs.js');
const { prepare } = require('../../scripts/setup/system.js');
const { FOLDER, dashboardQueries } = require('../helpers/watching-files.js');

const SITE = path.join(ROOT, 'examples', 'docs-site', 'main.js');
const ALERTS = path.join(FOLDER, 'alerts.yml');
const PAGE = '/docs/fast-check/README.md';
const SLOW = 4 * LIMIT;
const PAUSE = 200;

// The time from which a query counts; some scrapes fit into it.
const RANGE = '15s';

const configOf = (target) => `
global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files:
  - ${JSON.stringify(ALERTS)}
scrape_configs:
  - job_name: site
    static_configs:
      - targets: ['${target}']
`;

async function get(url) {
  const [response] = await once(http.get(url, { agent: false }), 'response');
  let body = '';
  for await (const text of response.setEncoding('utf8')) body += text;
  return { status: response.statusCode, body };
}

// Calls `ask` until it returns something else than undefined.
async function until(ask, what) {
  for (const end = performance.now() + LIMIT; performance.now() < end;) {
    const found = await ask();
    if (found !== undefined) return found;
    await delay(PAUSE);
  }
  throw new Error(`${what} took too long`);
}

describe('with the real Prometheus', () => {
  let programs;
  let folder;
  const children = [];

  before(() => {
    programs = prepare('prometheus');
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-prometheus-'));
  }).timeout(SLOW);

  after(async () => {
    for (const child of children) {
      const closed = once(child, 'close');
      if (child.exitCode === null && child.kill('SIGKILL')) await closed;
    }
    fs.rmSync(folder, { recursive: true, force: true });
  });

  // Starts a program and waits until what it prints matches. Returns the match.
  function start(program, args, pattern) {
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let output = '';
    return new Promise((resolve, reject) => {
      const read = (text) => {
        output += text;
        const found = pattern.exec(output);
        if (found) resolve(found);
      };
      child.stdout.setEncoding('utf8').on('data', read);
      child.stderr.setEncoding('utf8').on('data', read);
      child.on('error', reject);
      child.on('close', () => reject(new Error(`${program} has ended:\n${output}`)));
    });
  }

  const promtool = (args) => spawnSync(programs.promtool, args, { cwd: FOLDER, encoding: 'utf8' });

  for (const rules of ['alerts', 'alerts-opentelemetry']) {
    it(`promtool accepts the rules of ${rules}.yml`, () => {
      const { status, stdout, stderr } = promtool(['check', 'rules', `${rules}.yml`]);
      assert.equal(status, 0, stderr);
      assert.match(stdout, /SUCCESS: 7 rules found/);
    }).timeout(LIMIT);

    it(`promtool finds that those of ${rules}.yml fire when they should, and else not`, () => {
      const { status, stdout, stderr } = promtool(['test', 'rules', `${rules}.test.yml`]);
      assert.equal(status, 0, stdout + stderr);
    }).timeout(LIMIT);
  }

  it('the site is scraped, and rules and all queries of the dashboard have results', async () => {
    const [, target] = await start(
      process.execPath, [SITE, '--serve'], /http:\/\/(127\.0\.0\.1:\d+)\//);
    const config = path.join(folder, 'prometheus.yml');
    fs.writeFileSync(config, configOf(target));
    const [, address] = await start(programs.prometheus, [
      `--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
    ], /Listening on.* address=(127\.0\.0\.1:\d+)/);
    const api = async (place) => {
      const { status, body } = await get(`http://${address}/api/v1/${place}`);
      assert.equal(status, 200, body);
      return JSON.parse(body).data;
    };

    const { expected, scraped } = await until(async () => {
      // Work to see.
      await get(`http://${target}${PAGE}`);
      const found = {};
      for (const query of dashboardQueries({ range: RANGE })) {
        const { result } = await api(`query?query=${encodeURIComponent(query)}`);
        found[query] = result.filter(({ value: [, value] }) => value !== 'NaN').length > 0;
      }
      const { activeTargets } = await api('targets');
      const isComplete = Object.values(found).every(Boolean);
      return isComplete ? { expected: found, scraped: activeTargets } : undefined;
    }, 'results for all queries of the dashboard');
    assert.ok(Object.keys(expected).length >= 10);
    assert.deepEqual(scraped.map(({ health, lastError }) => [health, lastError]), [['up', '']]);

    const { groups: [{ rules }] } = await until(async () => {
      const found = await api('rules');
      const isDone = found.groups[0]?.rules.every(({ health }) => health !== 'unknown');
      return isDone ? found : undefined;
    }, 'the evaluation of the rules');
    assert.equal(rules.length, 7);
    assert.deepEqual(rules.filter(({ health }) => health !== 'ok'), []);
  }).timeout(SLOW);
});
