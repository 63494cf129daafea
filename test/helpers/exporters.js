'use strict';

// The exporters of metrics by one interface: `start(options)` begins to export, and returns
// { stop, read }. `read()` resolves to the metrics by their names in METRICS: pairs of labels and
// value, the thread of a worker as the label `thread`. A histogram has the bounds of its buckets.

const assert = require('node:assert/strict');
const {
  AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader,
} = require('@opentelemetry/sdk-metrics');
const parse = require('parse-prometheus-text-format');
const { Registry } = require('prom-client');
const { instrumentTasks } = require('uv-scheduler/opentelemetry');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { version } = require('../../package.json');

// What is exported: its name in OpenTelemetry's form and in that of Prometheus, its kind, its unit.
const METRICS = [
  ['task.wait', 'task_wait_seconds', 'histogram', 's'],
  ['task.duration', 'task_duration_seconds', 'histogram', 's'],
  ['tasks', 'tasks_total', 'counter', '{task}'],
  ['tasks.queued', 'tasks_queued', 'sum', '{task}'],
  ['tasks.oldest', 'tasks_oldest_seconds', 'gauge', 's'],
  ['time', 'time_seconds_total', 'counter', 's'],
  ['held', 'held_seconds_total', 'counter', 's'],
  ['blocked', 'blocked_seconds_total', 'counter', 's'],
  ['requests', 'requests_total', 'counter', '{request}'],
  ['requests.would_refuse', 'requests_would_refuse_total', 'counter', '{request}'],
  ['requests.queued', 'requests_queued', 'sum', '{request}'],
  ['requests.running', 'requests_running', 'sum', '{request}'],
  ['requests.raised', 'requests_raised_total', 'counter', '{request}'],
  ['request.wait', 'request_wait_seconds', 'histogram', 's'],
  ['route.requests', 'route_requests_total', 'counter', '{request}'],
  ['route.refused', 'route_refused_total', 'counter', '{request}'],
  ['route.time', 'route_time_seconds_total', 'counter', 's'],
  ['jobs.given_back', 'jobs_given_back_total', 'counter', '{job}'],
  ['jobs.discarded', 'jobs_discarded_seconds_total', 'counter', 's'],
  ['jobs.idle_wait', 'jobs_idle_wait_seconds_total', 'counter', 's'],
];
const LABEL_METRICS = [
  ['label.time', 'label_time_seconds_total', 'counter', 's'],
  ['label.tasks', 'label_tasks_total', 'counter', '{task}'],
];
const ALL = [...METRICS, ...LABEL_METRICS].map(([name, inPrometheus]) =>
  [name, `uv_scheduler_${inPrometheus}`]);

// The value of a metric with these labels, and no others but that of the thread.
function valueOf(points, wanted) {
  const sorted = (labels) =>
    JSON.stringify(Object.entries({ ...labels, thread: undefined }).sort());
  const isWanted = ([labels]) => sorted(labels) === sorted(wanted);
  const found = points.filter(isWanted);
  assert.ok(found.length < 2, JSON.stringify(wanted));
  return found[0]?.[1];
}

// The samples of a register by the names of their families, pairs of labels and value. The parser
// takes the samples of a histogram with several labels together, so it gets them without their
// type. Each part of a histogram then is a family.
async function scrape(register) {
  const text = await register.metrics();
  const all = {};
  for (const { name, metrics } of parse(text.replace(/^# TYPE \S+ histogram\n/gm, ''))) {
    (all[name] ??= []).push(...metrics.map(({ labels, value }) => {
      const { thread_id: thread, ...own } = labels;
      return [thread === undefined ? own : { ...own, thread }, Number(value)];
    }));
  }
  return all;
}

function histogramOf(families, name) {
  return families[`${name}_count`].map(([labels, count]) => {
    const buckets = families[`${name}_bucket`].filter(([own]) => own.priority === labels.priority);
    return [labels, {
      count,
      sum: valueOf(families[`${name}_sum`], labels),
      bounds: buckets.map(([{ le }]) => (le === '+Inf' ? Infinity : JSON.parse(le))),
      counts: buckets.map(([, upTo]) => upTo),
    }];
  });
}

function startPrometheus(options) {
  const register = new Registry();
  const { stop } = collectTaskMetrics({ register, ...options });
  const read = async () => {
    const families = await scrape(register);
    const found = ALL.map(([name, own]) =>
      [name, families[`${own}_count`] ? histogramOf(families, own) : families[own]]);
    return Object.fromEntries(found.filter(([, points]) => points?.length > 0));
  };
  return { stop, read };
}

// A meter provider, and what its reader exports, by name.
function meters() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  const provider = new MeterProvider({ readers: [reader] });
  const read = async () => {
    exporter.reset();
    await provider.forceFlush();
    const [{ scopeMetrics }] = exporter.getMetrics();
    const all = scopeMetrics.flatMap(({ scope, metrics }) => {
      assert.deepEqual([scope.name, scope.version], ['uv-scheduler', version]);
      return metrics;
    });
    return Object.fromEntries(all.map((each) => [each.descriptor.name, each.dataPoints]));
  };
  return { provider, read };
}

function pointOf({ attributes: { 'thread.id': thread, ...own }, value }) {
  const named = Object.entries(own).map(([key, each]) => [key.replace('uv_scheduler.', ''), each]);
  const labels = Object.fromEntries(named);
  if (thread !== undefined) labels.thread = `${thread}`;
  if (typeof value === 'number') return [labels, value];
  const { count, sum, buckets } = value;
  return [labels, { count, sum, bounds: [...buckets.boundaries, Infinity] }];
}

// As a metric, `spans` has the spans that have begun.
function startOpenTelemetry(options) {
  const { provider, read } = meters();
  const spans = [];
  const startSpan = (name, { attributes }) => {
    spans.push(pointOf({ attributes, value: 1 }));
    return { setAttribute() {}, end() {} };
  };
  const tracerProvider = { getTracer: () => ({ startSpan }) };
  const { stop } = instrumentTasks({ meterProvider: provider, tracerProvider, ...options });
  return {
    stop,
    async read() {
      const found = await read();
      const all = ALL.map(([name]) => [name, found[`uv_scheduler.${name}`]?.map(pointOf)]);
      all.push(['spans', spans]);
      return Object.fromEntries(all.filter(([, points]) => points?.length > 0));
    },
  };
}

const EXPORTERS = { Prometheus: startPrometheus, OpenTelemetry: startOpenTelemetry };

module.exports = { EXPORTERS, LABEL_METRICS, METRICS, meters, scrape, valueOf };
