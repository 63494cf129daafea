'use strict';

// docs/watching.md has the table of metrics that the code has. The dashboard and the alert rules of
// docs/watching/ name the metrics and labels that collectTaskMetrics() registers.
// test/ecosystem/prometheus.test.js runs them in a real Prometheus.
// @host any

const assert = require('node:assert/strict');
const { channel } = require('node:diagnostics_channel');
const { Registry } = require('prom-client');
const { scheduler } = require('../..');
const { monitorTasks } = require('uv-scheduler/watch');
const { WorkerCounts } = require('../../integrations/bullmq/counts.js');
const { noCounts, register, toCounts } = require('../../integrations/http/admission/counts.js');
const { metricsOf } = require('../../integrations/metrics.js');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { healthOfDocument, read: readDocument } = require('../helpers/docs.js');
const { enabledMonitor, useClock } = require('../helpers/watch.js');
const {
  dashboard, dashboardQueries, forOpenTelemetry, read,
} = require('../helpers/watching-files.js');

const NAME = /\buv_scheduler_\w+/g;
const SELECTOR = /(uv_scheduler_\w+)\{([^}]*)\}/g;
const MATCHER = /(\w+)(=~|=)"([^"]*)"/g;

// The labels that Prometheus adds to the metrics.
const TARGET = ['job', 'instance'];

// The head of the table of metrics, and the kinds that its rows name in another way than the code.
const TABLE = '| name | unit | kind | attributes | |';
const KINDS = { sum: 'up-down counter' };

const RULES = ['alerts.yml', 'alerts.test.yml'];

// As the report does.
const tellOfBlock = (place, route) =>
  channel('uv-scheduler:blocked').publish({ duration: 60, place, route });

// The samples that a scrape gets: by name, the values of each label.
async function samples() {
  const register = new Registry();
  const { stop } = collectTaskMetrics({ register });
  for (const each of [['page', 'GET /'], ['page', 'GET /b'], ['list', 'GET /']]) {
    tellOfBlock(...each);
  }
  const found = new Map();
  for (const { name, values } of await register.getMetricsAsJSON()) {
    for (const { metricName = name, labels } of values) {
      const all = found.get(metricName) ?? {};
      for (const [label, value] of Object.entries(labels)) {
        (all[label] ??= new Set()).add(`${value}`);
      }
      found.set(metricName, all);
    }
  }
  stop();
  return found;
}

const texts = () => [
  ['the dashboard', dashboardQueries({ range: '5m' }).join('\n')],
  ...RULES.map((name) => [name, read(name).replace(/",\s+/g, '", ')]),
];

describe('the dashboard and the alert rules', () => {
  let known;

  before(async () => {
    known = await samples();
  });

  it('show every metric, but for the counts that buckets have, too', () => {
    const [[, text]] = texts();
    const names = new Set(text.match(NAME));
    const missing = [...known.keys()].filter((name) => !names.has(name));
    assert.deepEqual(missing, [
      'uv_scheduler_task_duration_seconds_sum', 'uv_scheduler_task_duration_seconds_count',
    ]);
  });

  it('name only metrics that there are, and labels and values that these have', () => {
    for (const [where, text] of texts()) {
      const names = [...new Set(text.match(NAME))];
      assert.deepEqual(names.filter((name) => !known.has(name)), [], where);
      const selectors = [...text.matchAll(SELECTOR)];
      assert.ok(selectors.length > 0, where);
      for (const [selector, name, matchers] of selectors) {
        for (const [, label, operator, value] of matchers.matchAll(MATCHER)) {
          if (TARGET.includes(label) || label === 'thread_id') continue;
          const values = [...(known.get(name)[label] ?? [])];
          const isSelected = operator === '='
            ? (each) => each === value
            : (each) => new RegExp(`^(?:${value})$`).test(each);
          assert.ok(values.some(isSelected), `${where}: ${selector}`);
        }
      }
    }
  });

  it('of the dashboard have panels that name the units of their values and axes', () => {
    for (const { title, type, fieldConfig: { defaults }, options } of dashboard().panels) {
      assert.match(defaults.unit ?? '', /^(percentunit|s|ops|short)$/, title);
      if (type !== 'heatmap') continue;
      assert.deepEqual([options.yAxis.unit, options.cellValues?.unit], ['s', 'short'], title);
    }
  });

  it('of OpenTelemetry are the same, with the labels that its attributes become', () => {
    for (const name of RULES) {
      const other = name.replace('alerts', 'alerts-opentelemetry');
      assert.equal(read(other), forOpenTelemetry(read(name)), other);
    }
  });

  it('have a test of each alert', () => {
    const all = (file, pattern) => Array.from(read(file).matchAll(pattern), ([, name]) => name);
    const names = all('alerts.yml', /- alert: (\w+)/g);
    const tested = all('alerts.test.yml', /alertname: (\w+)/g);
    assert.ok(names.length > 0);
    assert.deepEqual([...new Set(tested)].sort(), names.sort());
  });
});

const code = (text) => `\`${text}\``;

// The rows of the table of metrics, as the code has them.
async function metricRows() {
  const monitor = monitorTasks();
  monitor.enable();
  // Metrics have attributes once they have values.
  const route = { route: 'GET /', requests: 1, refused: 0, threadTime: 1 };
  register({ read: () => toCounts(noCounts(), () => ({})), endedRoutes: () => [route] });
  new WorkerCounts('a queue');
  await scheduler.postTask(() => {}, { label: 'a label' });
  await new Promise(setImmediate);
  const rows = metricsOf(monitor, 1).map(({ name, unit, kind, help, read: readAll }) => {
    const [[attributes]] = readAll();
    const cells = [
      code(name),
      unit.replace(/[{}]/g, ''),
      KINDS[kind] ?? kind,
      Object.keys(attributes).map(code).join(', '),
      help,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  monitor.disable();
  return rows;
}

describe('the health check of docs/watching.md', () => {
  const clock = useClock();

  it('is true while background tasks fill the loop, and false while requests do', async () => {
    const monitor = enabledMonitor();
    let measure;
    const isHealthy = healthOfDocument(monitor, (callback) => {
      measure = callback;
      return { unref() {} };
    });
    const answers = [];
    for (const priority of ['background', 'user-visible', 'background']) {
      clock.post(1000, { priority });
      await clock.run();
      measure();
      answers.push(isHealthy());
    }
    assert.deepEqual(answers, [true, false, true]);
  });
});

describe('docs/watching.md', () => {
  it('has a health check that answers all callers alike, by whole intervals', () => {
    const shares = [[0, 0], [0.05, 0], [0.5, 0], [0, 0.5], [0, 0.05]]
      .map(([idle, background]) => ({ idle, background }));
    const given = [];
    const utilization = (previous) => shares[given.push(previous) - 1];
    let measure;
    const isHealthy = healthOfDocument({ utilization }, (callback) => {
      measure = callback;
      return { unref() {} };
    });
    const answers = shares.map(() => {
      measure();
      return [isHealthy(), isHealthy()];
    });
    assert.deepEqual(answers, [true, false, true, true, false].map((each) => [each, each]));
    assert.deepEqual(given, [undefined, ...shares.slice(0, -1)]);
  });

  const lines = readDocument('docs/watching.md').split('\n');

  it('has the metrics of the code', async () => {
    const found = lines.slice(lines.indexOf(TABLE) + 2);
    found.length = found.findIndex((line) => !line.startsWith('|'));
    assert.deepEqual(found, await metricRows());
  });
});
