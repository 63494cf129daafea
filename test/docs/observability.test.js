'use strict';

// The dashboard and the alert rules of docs/observability/ name the metrics and labels that
// collectTaskMetrics() registers, and its page says what to install.
// test/ecosystem/prometheus.test.js runs them in a real Prometheus.

const assert = require('node:assert/strict');
const { Registry } = require('prom-client');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { examples } = require('../helpers/docs.js');
const {
  dashboard, dashboardQueries, forOpenTelemetry, read,
} = require('../helpers/observability.js');

const NAME = /\buv_scheduler_\w+/g;
const SELECTOR = /(uv_scheduler_\w+)\{([^}]*)\}/g;
const MATCHER = /(\w+)(=~|=)"([^"]*)"/g;

// What Prometheus adds to what it scrapes.
const TARGET = ['job', 'instance'];

const RULES = ['alerts.yml', 'alerts.test.yml'];

// The samples that a scrape gets: by name, the values of each label.
async function samples() {
  const register = new Registry();
  const { stop } = collectTaskMetrics({ register });
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

  it('name only metrics that there are', () => {
    for (const [where, text] of texts()) {
      const names = [...new Set(text.match(NAME))];
      assert.ok(names.length > 0, where);
      assert.deepEqual(names.filter((name) => !known.has(name)), [], where);
    }
  });

  it('show every metric, but for the counts that buckets have, too', () => {
    const [[, text]] = texts();
    const names = new Set(text.match(NAME));
    const missing = [...known.keys()].filter((name) => !names.has(name));
    assert.deepEqual(missing, [
      'uv_scheduler_task_duration_seconds_sum', 'uv_scheduler_task_duration_seconds_count',
    ]);
  });

  it('select by labels and values that the metrics have', () => {
    for (const [where, text] of texts()) {
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

  it('of the dashboard have panels with ids, queries and places of their own', () => {
    const { panels, templating } = dashboard();
    assert.deepEqual(panels.map(({ id }) => id), panels.map((panel, i) => i + 1));
    const places = panels.map(({ gridPos: { x, y } }) => `${x}, ${y}`);
    assert.equal(new Set(places).size, panels.length);
    const queries = dashboardQueries({ range: '5m' });
    assert.equal(new Set(queries).size, queries.length);
    assert.deepEqual(queries.filter((query) => query.includes('$')), []);
    const names = templating.list.map(({ name }) => name);
    assert.deepEqual(names, ['datasource', 'job', 'instance']);
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

describe('the page about exporters', () => {
  it('has `npm install` with each package that a program imports, above the program', () => {
    const text = read('exporters.md');
    const lines = text.split('\n');
    const found = examples(text);
    assert.ok(found.length > 0);
    for (const { code, line } of found) {
      const above = lines.slice(0, line).filter((each) => each.startsWith('npm install '));
      const installed = above.flatMap((each) => each.split(' ').slice(2));
      for (const [, name] of code.matchAll(/from '(?!node:)((?:@[^/']+\/)?[^/']+)/g)) {
        assert.ok(installed.includes(name), `line ${line}: ${name}`);
      }
    }
  });
});
