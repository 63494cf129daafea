'use strict';

// Measures what it costs to watch tasks: each row is a way to watch, in a process of its own. A
// trace is written to a file in the temporary folder. It is emptied before each batch: on a slow
// disk the kernel lets writers wait, which does not count.

const { tracingChannel } = require('node:diagnostics_channel');
const fs = require('node:fs');
const { Session } = require('node:inspector');
const os = require('node:os');
const path = require('node:path');
const { scheduler } = require('uv-scheduler');
const { monitorTasks, reportSlowTasks, traceTasks } = require('uv-scheduler/watch');
const { createOrders, rowOf } = require('../../frameworks/programs/orders');
const { cpuSince } = require('../../harness/processes');
const { timePerTask } = require('../batches');
const { OURS, above } = require('../goals');

const nothing = () => {};

// The trace of this process, if it writes one.
let traced;

function traceFile() {
  const file = path.join(os.tmpdir(), `uv-scheduler-bench-${process.pid}.trace.json`);
  traced = fs.openSync(file, 'w');
  // An open file stays until it is closed.
  setImmediate(() => fs.rm(file, { force: true }, nothing));
  return file;
}

const MONITOR = 'a monitor';
const CHANNEL = 'an empty subscriber of the tracing channel';
const TRACE = 'a trace';

// The beginning of watching, by row.
const WATCHING = {
  [OURS]: nothing,
  [MONITOR]: () => monitorTasks().enable(),
  [CHANNEL]: () => tracingChannel('uv-scheduler:task').subscribe({
    start: nothing, end: nothing, asyncStart: nothing, asyncEnd: nothing, error: nothing,
  }),
  [TRACE]: () => traceTasks(traceFile()),
};

const BATCH = 1e4;

// More than of other batches: V8 compiles the code that watches later than the code that runs
// tasks, and a server watches for days.
const AT_LEAST = 5e5;

async function measureWatching(row, { isWarmUp }) {
  // The process that is warm goes on watching.
  if (isWarmUp) WATCHING[row]();
  const prepare = () => {
    if (traced !== undefined) fs.ftruncateSync(traced);
    return (task) => scheduler.postTask(task);
  };
  return { value: await timePerTask(BATCH, prepare, AT_LEAST) };
}

function createMeterProvider() {
  const {
    InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader,
  } = require('@opentelemetry/sdk-metrics');
  // Cumulative figures, which are read when they are asked for.
  const exporter = new InMemoryMetricExporter(1);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  return { reader, provider: new MeterProvider({ readers: [reader] }) };
}

const instrument = (options) => require('uv-scheduler/opentelemetry').instrumentTasks(options);

function instrumentSpans(createOptions) {
  const trace = require('@opentelemetry/sdk-trace-base');
  const tracerProvider = new trace.BasicTracerProvider(createOptions(trace));
  instrument({ meterProvider: null, tracerProvider });
}

// The beginning of an export, by row; it may return what is done after each batch.
const EXPORTERS = {
  [OURS]: nothing,
  [MONITOR]: () => void WATCHING[MONITOR](),
  'uv-scheduler/prometheus, scraped': () => {
    const register = new (require('prom-client').Registry)();
    require('uv-scheduler/prometheus').collectTaskMetrics({ register });
    return () => register.metrics();
  },
  'uv-scheduler/opentelemetry, metrics, collected': () => {
    const { reader, provider } = createMeterProvider();
    instrument({ meterProvider: provider, tracerProvider: null });
    return () => reader.collect();
  },
  'uv-scheduler/opentelemetry, spans that are not sampled': () =>
    instrumentSpans(({ AlwaysOffSampler }) => ({ sampler: new AlwaysOffSampler() })),
  'uv-scheduler/opentelemetry, spans': () => instrumentSpans(({ BatchSpanProcessor }) => {
    const exporter = { export: (spans, done) => done({ code: 0 }), shutdown: async () => {} };
    return { spanProcessors: [new BatchSpanProcessor(exporter)] };
  }),
};

const EXPORTED = 50_000;
const BATCHES = 12;

// The fastest batch.
async function measureExporters(row) {
  const finish = EXPORTERS[row]();
  let best = Infinity;
  for (let batch = 0; batch < BATCHES; batch++) {
    const before = process.cpuUsage();
    await Promise.all(Array.from({ length: EXPORTED }, () => scheduler.postTask(nothing)));
    await finish?.();
    best = Math.min(best, cpuSince(before) * 1e6 / EXPORTED);
  }
  return { value: best };
}

// In microseconds, as reportSlowTasks() has it.
const INTERVAL = 5000;

const REPORTS = {
  [OURS]: nothing,
  'reports': () => reportSlowTasks(nothing),
  'reports with stacks': () => reportSlowTasks(nothing, { stacks: true }),
  "V8's profiler alone": () => {
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: INTERVAL });
    session.post('Profiler.start');
  },
};

// The pages of a case: their orders, and how many of them are rendered.
const PAGES = {
  '2 ms': { orders: 1200, count: 1000 },
  'half a millisecond': { orders: 300, count: 4000 },
};

async function measureReports(row, { orders: length, count }) {
  const orders = createOrders(length);
  const render = () => orders.map(rowOf).join('');
  REPORTS[row]();
  const renderAll = async (pages) => {
    for (let i = 0; i < pages; i++) await scheduler.postTask(render);
  };
  await renderAll(count / 3);
  const before = process.cpuUsage();
  await renderAll(count);
  return { value: cpuSince(before) * 1e3 / count };
}

const watchingCases = [
  {
    name: 'watching-tasks', title: 'batch of 10^4 tasks while they are watched', unit: 'ns/task',
    rows: Object.keys(WATCHING),
    // For tasks with nothing in them, so they are the whole cost of watching.
    goals: [
      above(OURS, 150, 'at most 150 ns more', MONITOR),
      above(OURS, 300, 'at most 300 ns more', CHANNEL),
      above(OURS, 1000, 'at most 1 µs more', TRACE),
    ],
    measure: measureWatching,
  },
  {
    name: 'exporters', title: 'batch of 50,000 tasks while figures of them are exported',
    unit: 'ns of CPU/task', rows: Object.keys(EXPORTERS), isNewEachTime: true,
    measure: measureExporters,
  },
  ...Object.entries(PAGES).map(([time, pages], i) => ({
    name: `slow-tasks-${i + 1}`,
    title: `a page of ${time}, rendered in a task while slow tasks are reported`,
    unit: 'µs of CPU/page', rows: Object.keys(REPORTS), isNewEachTime: true,
    measure: (row) => measureReports(row, pages),
  })),
];

module.exports = { watchingCases };
