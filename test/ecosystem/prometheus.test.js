'use strict';

// The alert rules and the dashboard of docs/watching/ with the real promtool and Prometheus,
// which scrapes the site of `npm start -- --serve`.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { ExampleServer } = require('../helpers/example-servers.js');
const { useFolder } = require('../helpers/folders.js');
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

describe('with the real Prometheus', () => {
  let programs;
  let site;
  let prometheus;

  before(() => (programs = prepare('prometheus'))).timeout(SLOW);

  after(async () => {
    await site?.kill();
    await prometheus?.kill();
  });

  // Removed when Prometheus has ended.
  const inFolder = useFolder();

  // Starts Prometheus, and waits until it listens.
  async function scrape(target) {
    const config = inFolder('prometheus.yml');
    fs.writeFileSync(config, configOf(target));
    const args = [
      `--config.file=${config}`, `--storage.tsdb.path=${inFolder('data')}`,
      '--web.listen-address=127.0.0.1:0',
    ];
    const address = /(?<=Listening on.* address=)127\.0\.0\.1:\d+/;
    const options = { node: programs.prometheus, args, cwd: inFolder(), address };
    prometheus = await ExampleServer.start('prometheus', options);
  }

  for (const rules of ['alerts', 'alerts-opentelemetry']) {
    it(`promtool finds that the rules of ${rules}.yml fire when they should, and else not`, () => {
      const args = ['test', 'rules', `${rules}.test.yml`];
      const options = { cwd: FOLDER, encoding: 'utf8' };
      const { status, stdout, stderr } = spawnSync(programs.promtool, args, options);
      assert.equal(status, 0, stdout + stderr);
    }).timeout(LIMIT);
  }

  it('the site is scraped, and rules and all queries of the dashboard have results', async () => {
    // Any callback of a millisecond is a block.
    const env = { UV_SCHEDULER_REPORT: '1' };
    const args = ['--import', 'uv-scheduler/report', 'main.js', '--serve'];
    site = await ExampleServer.start('docs-site', { args, env });
    await scrape(new URL(site.url).host);
    const api = async (place) => {
      const response = await fetch(`http://${prometheus.url}/api/v1/${place}`);
      assert.equal(response.status, 200);
      return (await response.json()).data;
    };

    const hasResults = async (query) => {
      const { result } = await api(`query?query=${encodeURIComponent(query)}`);
      return result.some(({ value: [, value] }) => value !== 'NaN');
    };

    let missing = dashboardQueries({ range: RANGE });
    assert.ok(missing.length >= 10);
    while (missing.length > 0) {
      // Work to see.
      await site.ask(PAGE);
      const found = await Promise.all(missing.map(hasResults));
      missing = missing.filter((_, i) => !found[i]);
      await delay(PAUSE);
    }
    const { activeTargets: [{ health, lastError }] } = await api('targets');
    assert.deepEqual([health, lastError], ['up', '']);

    let rules = [];
    while (rules.length === 0 || rules.some((rule) => rule.health === 'unknown')) {
      await delay(PAUSE);
      const { groups } = await api('rules');
      rules = groups.flatMap((group) => group.rules);
    }
    assert.deepEqual(rules.map((rule) => rule.health), Array(8).fill('ok'));
  }).timeout(SLOW);
});
