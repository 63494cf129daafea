'use strict';

// Measures what exporting figures about tasks costs per task: the processor time of the fastest
// batch. The metric producer exists only here, to compare it with recording each task.

const { cpuSince } = require('../../processes.js');
const { OURS } = require('../goals.js');

const TASKS = 50_000;
const BATCHES = 12;

const FLUSH = 2 ** 30;

function createReader(metricProducers) {
  const {
    AggregationTemporality, InMemoryMetricExporter, PeriodicExportingMetricReader,
  } = require('@opentelemetry/sdk-metrics');
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  return new PeriodicExportingMetricReader({
    exporter, exportIntervalMillis: FLUSH, metricProducers,
  });
}

function createMeterProvider(reader) {
  const { MeterProvider } = require('@opentelemetry/sdk-metrics');
  return new MeterProvider({ readers: [reader] });
}

// What the SDK takes from outside: the buckets of a monitor.
function createProducer(monitor) {
  const startTime = [Math.trunc(Date.now() / 1000), 0];
  const histogram = (name) => ({
    descriptor: { name: `uv_scheduler.task.${name}`, unit: 's', description: '', valueType: 1 },
    aggregationTemporality: 1,
    dataPointType: 0,
    dataPoints: Object.entries(monitor.priorities).map(([priority, { [name]: times }]) => {
      const { buckets, sum, count } = times;
      const counts = buckets.map((bucket, i) => bucket.count - (buckets[i - 1]?.count ?? 0));
      const boundaries = buckets.slice(0, -1).map(({ le }) => le);
      return {
        startTime,
        endTime: [Math.trunc(Date.now() / 1000), 0],
        attributes: { 'uv_scheduler.priority': priority },
        value: { buckets: { boundaries, counts }, sum, count },
      };
    }),
  });
  return {
    async collect() {
      const metrics = ['wait', 'duration'].map(histogram);
      const scopeMetrics = [{ scope: { name: 'uv-scheduler' }, metrics }];
      return { resourceMetrics: { scopeMetrics }, errors: [] };
    },
  };
}

const instrument = (options) => require('uv-scheduler/opentelemetry').instrumentTasks(options);

function enabledMonitor() {
  const monitor = require('uv-scheduler').monitorTasks();
  monitor.enable();
  return monitor;
}

function createTracerProvider(options) {
  const { BasicTracerProvider } = require('@opentelemetry/sdk-trace-base');
  return new BasicTracerProvider(options);
}

// Each prepares, and returns what is done after each batch.
const ROWS = {
  [OURS]: () => {},
  'a monitor': () => {
    enabledMonitor();
  },
  'uv-scheduler/prometheus, scraped': () => {
    const { Registry } = require('prom-client');
    const register = new Registry();
    require('uv-scheduler/prometheus').collectTaskMetrics({ register });
    return () => register.metrics();
  },
  'a metric producer, collected': () => {
    const reader = createReader([createProducer(enabledMonitor())]);
    createMeterProvider(reader);
    return () => reader.collect();
  },
  'uv-scheduler/opentelemetry, metrics, collected': () => {
    const reader = createReader();
    instrument({ meterProvider: createMeterProvider(reader), tracerProvider: null });
    return () => reader.collect();
  },
  'uv-scheduler/opentelemetry, spans that are not sampled': () => {
    const { AlwaysOffSampler } = require('@opentelemetry/sdk-trace-base');
    const tracerProvider = createTracerProvider({ sampler: new AlwaysOffSampler() });
    instrument({ meterProvider: null, tracerProvider });
  },
  'uv-scheduler/opentelemetry, spans': () => {
    const { BatchSpanProcessor } = require('@opentelemetry/sdk-trace-base');
    const exporter = {
      export: (spans, done) => done({ code: 0 }),
      shutdown: () => Promise.resolve(),
    };
    const spanProcessors = [new BatchSpanProcessor(exporter)];
    instrument({ meterProvider: null, tracerProvider: createTracerProvider({ spanProcessors }) });
  },
};

async function measure(row) {
  const finish = ROWS[row]();
  const { scheduler } = require('uv-scheduler');
  const callback = () => {};
  let best = Infinity;
  for (let batch = 0; batch < BATCHES; batch++) {
    const before = process.cpuUsage();
    const tasks = Array.from({ length: TASKS }, () => scheduler.postTask(callback));
    await Promise.all(tasks);
    await finish?.();
    best = Math.min(best, cpuSince(before) * 1e6 / TASKS);
  }
  return { value: best };
}

function exporterCases() {
  return [{
    name: 'exporters',
    title: 'batch of 50,000 tasks while figures of them are exported',
    unit: 'ns of CPU/task',
    rows: Object.keys(ROWS),
    processes: 'each sample',
    isLong: true,
    measure,
  }];
}

module.exports = { exporterCases };
