'use strict';

// The alert rules and the dashboard of docs/watching/ with the real promtool and Prometheus,
// which scrapes the site of `npm start -- --serve`.

const assert = require('node:assert/strict');
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { ExampleServer } = require('../helpers/example-servers.js');
const { LIMIT } = require('../helpers/programs.js');
const { prepare } = require('../../scripts/setup/system.js');
const { FOLDER, dashboardQueries } = require('../helpers/watching-files.js');

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
  let site;
  let prometheus;

  before(() => {
    programs = prepare('prometheus');
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-prometheus-'));
  }).timeout(SLOW);

  after(async () => {
    await site?.kill();
    if (prometheus?.kill('SIGKILL')) await once(prometheus, 'close');
    fs.rmSync(folder, { recursive: true, force: true });
  });

  // Starts Prometheus, and resolves to its address once it listens.
  function scrape(target) {
    const config = path.join(folder, 'prometheus.yml');
    fs.writeFileSync(config, configOf(target));
    prometheus = spawn(programs.prometheus, [
      `--config.file=${config}`, `--storage.tsdb.path=${path.join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
    ], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    return new Promise((resolve, reject) => {
      prometheus.stderr.setEncoding('utf8').on('data', (text) => {
        output += text;
        const found = /Listening on.* address=(127\.0\.0\.1:\d+)/.exec(output);
        if (found) resolve(found[1]);
      });
      prometheus.on('close', () => reject(new Error(`Prometheus has ended:\n${output}`)));
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
    site = await ExampleServer.start('docs-site', { args: ['main.js', '--serve'] });
    const address = await scrape(new URL(site.url).host);
    const api = async (place) => {
      const response = await fetch(`http://${address}/api/v1/${place}`);
      assert.equal(response.status, 200);
      return (await response.json()).data;
    };

    const { expected, scraped } = await until(async () => {
      // Work to see.
      await site.ask(PAGE);
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
