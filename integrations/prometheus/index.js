'use strict';

// The export of `uv-scheduler/prometheus`: shows the values of a monitor as metrics of prom-client.
// No value is recorded twice: at a scrape the register reads its metrics, which read the monitor.
// serveHealth() shows the register, too.

const { undocumented, watch, watchUntil, webidl, withCode } = require('../internal.js');
const { isMainThread, threadId } = require('node:worker_threads');
const { snapshots } = require('../health/snapshots.js');
const { metricsOf } = require('../metrics.js');

const { showsParts } = undocumented;
const { monitorTasks, toMostLabels } = watch;

const OPERATION = "'collectTaskMetrics'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const MEMBERS = {
  signal: webidl.toAbortSignal,
  register: toRegister,
  prefix: toPrefix,
  labels: toLabels,
  maxTaskLabels: toMostLabels,
};
const REGISTER_METHODS = ['registerMetric', 'removeSingleMetric', 'getSingleMetric'];

// Source: Prometheus, "Data model". A prefix may be empty.
const PREFIX_SYNTAX = /^(?:[a-zA-Z_:][a-zA-Z0-9_:]*)?$/;
const LABEL_SYNTAX = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

const OWN_LABELS = [
  'priority', 'outcome', 'state', 'le', 'queue', 'reason', 'label', 'place', 'route',
];
// The name of a metric in Prometheus' form.
function nameOf({ kind, name, unit }) {
  const seconds = unit === 's' ? '_seconds' : '';
  const total = kind === 'counter' ? '_total' : '';
  return `uv_scheduler_${name.replaceAll('.', '_')}${seconds}${total}`;
}

// A metric that shows whether a register reads the parts of histograms.
const HISTOGRAM = 'uv_scheduler_task_wait_seconds';

// The samples of a metric: labels, value, and for the parts of a histogram the suffix of the name.
function samplesOf({ kind, read }) {
  return kind === 'histogram' ? read().flatMap(partsOf) : read();
}

function partsOf([labels, { buckets, count, sum }]) {
  return [
    ...buckets.map(({ le, count: upTo }) => {
      return [{ ...labels, le: le === Infinity ? '+Inf' : le }, upTo, '_bucket'];
    }),
    [labels, sum, '_sum'],
    [labels, count, '_count'],
  ];
}

// A metric with the interface that a register of prom-client expects.
class TaskMetric {
  name;
  help;
  type;
  // The function that combines the values of processes or threads in prom-client's
  // AggregatorRegistry.
  aggregator;
  #metric;
  #common;

  // `common` has the labels of all samples.
  constructor(name, metric, common) {
    const { aggregator = 'sum', help, kind } = metric;
    this.name = name;
    this.help = `${help}.`;
    this.type = kind === 'sum' ? 'gauge' : kind;
    this.aggregator = aggregator;
    this.#metric = metric;
    this.#common = common;
  }

  async get() {
    const { name, help, type, aggregator } = this;
    const values = samplesOf(this.#metric).map(([own, value, suffix]) => {
      const sample = { labels: { ...this.#common, ...own }, value };
      // For the format of OpenMetrics, prom-client changes the names of counters.
      return suffix === undefined ? sample : { ...sample, metricName: name + suffix };
    });
    return { name, help, type, values, aggregator };
  }

  // Does nothing, as the values belong to the monitor.
  reset() {}
}

function collectTaskMetrics(options = undefined) {
  const {
    register = require('prom-client').register, prefix = '', labels, maxTaskLabels = 0, signal,
  } = webidl.readOptions(options, OPTIONS, MEMBERS);
  const common = { ...ownThread(), ...labels };
  return watchUntil(signal, () => begin(register, prefix, common, maxTaskLabels));
}

// Returns a function that removes the metrics.
function begin(register, prefix, common, maxTaskLabels) {
  const monitor = monitorTasks();
  const metrics = metricsOf(monitor, maxTaskLabels).map((metric) => {
    const name = prefix + nameOf(metric);
    return [name, new TaskMetric(name, metric, common)];
  });
  for (const [name] of metrics) checkAbsent(register, name);
  for (const [, metric] of metrics) register.registerMetric(metric);
  monitor.enable();
  const snapshot = snapshots.offer('metrics', async () => {
    return { [register.contentType]: await register.metrics() };
  });
  const end = () => {
    monitor.disable();
    snapshot.end();
    for (const [name, metric] of metrics) {
      // The register may have been cleared and have other metrics of the same names.
      if (register.getSingleMetric(name) === metric) register.removeSingleMetric(name);
    }
  };
  void endUnlessShown(register, prefix + HISTOGRAM, end);
  return end;
}

// A register that cannot read the metrics would fail to show all others, too.
async function endUnlessShown(register, name, end) {
  if (await showsParts(register, name)) return;
  end();
  process.emitWarning(
    'uv-scheduler/prometheus does not know this version of prom-client, so the metrics of tasks ' +
      'are missing. Look for a newer uv-scheduler.',
    { type: 'UvSchedulerWarning', code: 'UV_SCHEDULER_PROMETHEUS' },
  );
}

function toRegister(value, parameter) {
  const isRegister = webidl.isObject(value) &&
    REGISTER_METHODS.every((name) => typeof value[name] === 'function');
  if (!isRegister) throw parameter.error('a Registry of prom-client', value);
  return value;
}

function toPrefix(value, parameter) {
  const prefix = webidl.toString(value, parameter);
  if (!PREFIX_SYNTAX.test(prefix)) {
    throw parameter.error('the beginning of a metric name', value, 'ERR_INVALID_ARG_VALUE');
  }
  return prefix;
}

function toLabels(value, parameter) {
  const labels = webidl.toDictionary(value, parameter) ?? {};
  return Object.fromEntries(Object.entries(labels).map(([name, text]) => {
    if (!LABEL_SYNTAX.test(name) || OWN_LABELS.includes(name)) {
      const received = `one with the label ${JSON.stringify(name)}`;
      const own = OWN_LABELS.map((each) => `'${each}'`).join(', ');
      const expected = `an object whose keys are label names other than ${own}`;
      throw parameter.mismatch(expected, received, 'ERR_INVALID_ARG_VALUE');
    }
    return [name, webidl.toString(text, new webidl.Parameter(OPERATION, `the label ${name}`))];
  }));
}

// Each thread has its own register, with the metrics of its own tasks.
function ownThread() {
  return isMainThread ? {} : { thread_id: `${threadId}` };
}

function checkAbsent(register, name) {
  if (register.getSingleMetric(name) === undefined) return;
  const error = new Error(
    `Failed to execute ${OPERATION}: the register already has a metric named ${name}. ` +
      "Call stop() of an earlier call's result, or use another register or prefix.",
  );
  throw withCode(error, 'ERR_INVALID_STATE');
}

module.exports = { collectTaskMetrics };
