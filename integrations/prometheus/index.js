'use strict';

// The export of `uv-scheduler/prometheus`: shows a monitor's figures as metrics of prom-client.
// Nothing is recorded twice: a register asks each of its metrics for its values when it is scraped,
// and these metrics then read the monitor.

// First, as it refuses a host that cannot be used.
const { monitorTasks } = require('../../index.js');
const { isMainThread, threadId } = require('node:worker_threads');
const jobs = require('../bullmq/metrics.js');
const { allCounts } = require('../http/admission/counts.js');
const { withCode } = require('../../lib/webidl/error-code.js');
const { ExportedLabels, toMostLabels } = require('../../lib/watch/exported-labels.js');
const { neverFalling } = require('../../lib/watch/never-falling.js');
const webidl = require('../../lib/webidl/conversions.js');

const OPERATION = "'collectTasks'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const REGISTER = new webidl.Parameter(OPERATION, 'the member register');
const PREFIX = new webidl.Parameter(OPERATION, 'the member prefix');
const LABELS = new webidl.Parameter(OPERATION, 'the member labels');
const TASK_LABELS = new webidl.Parameter(OPERATION, 'the member taskLabels');

const MEMBERS = ['register', 'prefix', 'labels', 'taskLabels'];
const REGISTER_METHODS = ['registerMetric', 'removeSingleMetric', 'getSingleMetric'];

// Source: Prometheus, "Data model". A prefix may be empty.
const PREFIX_SYNTAX = /^(?:[a-zA-Z_:][a-zA-Z0-9_:]*)?$/;
const LABEL_SYNTAX = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

const OWN_LABELS = ['priority', 'outcome', 'state', 'le', 'queue', 'reason', 'label'];
const MILLISECONDS_PER_SECOND = 1000;

const OUTCOMES = ['completed', 'failed', 'aborted'];

// Each has a function that takes a monitor, and what keeps figures from falling, and returns
// samples: labels, value, and for the parts of a histogram what follows the name.
const METRICS = [
  {
    name: 'uv_scheduler_task_delay_seconds',
    help: 'How long tasks and continuations were queued until they started.',
    type: 'histogram',
    read: ({ priorities }) => histograms(priorities, 'delay'),
  },
  {
    name: 'uv_scheduler_task_duration_seconds',
    help: 'How long callbacks and continuations held the thread.',
    type: 'histogram',
    read: ({ priorities }) => histograms(priorities, 'duration'),
  },
  {
    name: 'uv_scheduler_tasks_total',
    help: 'Tasks that have settled, and continuations that have started, by outcome.',
    type: 'counter',
    read: ({ priorities }) => Object.entries(priorities).flatMap(([priority, counts]) => {
      return OUTCOMES.map((outcome) => [{ priority, outcome }, counts[outcome]]);
    }),
  },
  {
    name: 'uv_scheduler_tasks_queued',
    help: 'Tasks and continuations that are queued now.',
    type: 'gauge',
    read: ({ priorities }) => Object.entries(priorities).map(([priority, { queued }]) => {
      return [{ priority }, queued];
    }),
  },
  {
    name: 'uv_scheduler_tasks_oldest_seconds',
    help: 'How long the oldest queued task or continuation has waited.',
    type: 'gauge',
    aggregator: 'max',
    read: ({ priorities }) => Object.entries(priorities).map(([priority, { oldest }]) => {
      return [{ priority }, oldest / MILLISECONDS_PER_SECOND];
    }),
  },
  {
    name: 'uv_scheduler_time_seconds_total',
    help: 'The time of the thread: in tasks of each priority, in other callbacks, and idle.',
    type: 'counter',
    read: (monitor, { times }) => Object.entries(times(monitor.time)).map(([state, seconds]) => {
      return [{ state }, seconds];
    }),
  },
  {
    name: 'uv_scheduler_held_seconds_total',
    help: 'How long background tasks were held although the loop was idle, by reason.',
    type: 'counter',
    read: ({ held }) => Object.entries(held).map(([reason, seconds]) => [{ reason }, seconds]),
  },
  {
    name: 'uv_scheduler_requests_total',
    help:
      'Requests by what an admission has made of them: admitted, left, withdrawn, or why refused.',
    type: 'counter',
    read: () => allCounts().flatMap(([priority, { admitted, refused, left, withdrawn }]) => {
      return Object.entries({ admitted, left, withdrawn, ...refused }).map(([outcome, count]) => {
        return [{ priority, outcome }, count];
      });
    }),
  },
  {
    name: 'uv_scheduler_requests_waiting',
    help: 'Requests that wait for their first turn.',
    type: 'gauge',
    read: () => allCounts().map(([priority, { waiting }]) => [{ priority }, waiting]),
  },
  {
    name: 'uv_scheduler_requests_running',
    help: 'Admitted requests whose responses have neither finished nor closed.',
    type: 'gauge',
    read: () => allCounts().map(([priority, { running }]) => [{ priority }, running]),
  },
  {
    name: 'uv_scheduler_requests_raised_total',
    help: 'Requests whose priority was raised, as their continuations had waited for long.',
    type: 'counter',
    read: () => allCounts().map(([priority, { raised }]) => [{ priority }, raised]),
  },
  {
    name: 'uv_scheduler_request_delay_seconds',
    help: 'How long admitted requests waited for their first turn.',
    type: 'histogram',
    read: () => histograms(Object.fromEntries(allCounts()), 'delay'),
  },
  ...jobs.METRICS.map((metric) => ({
    name: `uv_scheduler_jobs_${metric.name}${metric.unit === 's' ? '_seconds' : ''}_total`,
    help: `${metric.description}.`,
    type: 'counter',
    read: () => jobs.valuesOf(metric),
  })),
];

// Those by label, if the application wants them.
const LABEL_METRICS = [
  {
    name: 'uv_scheduler_label_time_seconds_total',
    help: 'How long tasks and continuations of the labels that take most time held the thread.',
    type: 'counter',
    read: ({ labels }, { exported }) => exported.read(labels).map((each) => {
      const { label, priority, seconds } = each;
      return [{ label, priority }, seconds];
    }),
  },
  {
    name: 'uv_scheduler_label_tasks_total',
    help: 'How many tasks and continuations of the labels that take most time have run.',
    type: 'counter',
    read: ({ labels }, { exported }) => exported.read(labels).map((each) => {
      const { label, priority, count } = each;
      return [{ label, priority }, count];
    }),
  },
];

// The histogram of each priority.
function histograms(priorities, name) {
  return Object.entries(priorities).flatMap(([priority, { [name]: times }]) => [
    ...times.buckets.map(({ le, count }) => {
      return [{ priority, le: le === Infinity ? '+Inf' : le }, count, '_bucket'];
    }),
    [{ priority }, times.sum, '_sum'],
    [{ priority }, times.count, '_count'],
  ]);
}

// What a register of prom-client takes as a metric.
class TaskMetric {
  name;
  help;
  type;
  // How values of several processes or threads become one, in prom-client's AggregatorRegistry.
  aggregator;
  #read;

  constructor({ name, help, type, aggregator = 'sum' }, read) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.aggregator = aggregator;
    this.#read = read;
  }

  async get() {
    const { name, help, type, aggregator } = this;
    const values = this.#read().map(([labels, value, suffix]) => {
      const sample = { labels, value };
      // For the format of OpenMetrics, prom-client changes the names of counters.
      return suffix === undefined ? sample : { ...sample, metricName: name + suffix };
    });
    return { name, help, type, values, aggregator };
  }

  // The figures are the monitor's.
  reset() {}
}

function collectTasks(options = undefined) {
  const dictionary = webidl.toDictionary(options, OPTIONS) ?? {};
  webidl.checkMembers(dictionary, MEMBERS, OPTIONS);
  const register = toRegister(dictionary.register);
  const prefix = toPrefix(dictionary.prefix);
  const common = { ...ownThread(), ...toLabels(dictionary.labels) };
  const mostLabels = toMostLabels(dictionary.taskLabels, TASK_LABELS);
  const monitor = monitorTasks();
  const shown = { times: neverFalling(), exported: new ExportedLabels(mostLabels) };
  const wanted = mostLabels === 0 ? METRICS : [...METRICS, ...LABEL_METRICS];
  const metrics = wanted.map(({ read, ...metric }) => {
    const name = prefix + metric.name;
    const readAll = () => read(monitor, shown).map(([labels, ...rest]) => {
      return [{ ...common, ...labels }, ...rest];
    });
    return [name, new TaskMetric({ ...metric, name }, readAll)];
  });
  for (const [name] of metrics) checkAbsent(register, name);
  for (const [, metric] of metrics) register.registerMetric(metric);
  monitor.enable();
  return {
    stop() {
      monitor.disable();
      for (const [name, metric] of metrics) {
        // The register may have been cleared, and have others meanwhile.
        if (register.getSingleMetric(name) === metric) register.removeSingleMetric(name);
      }
    },
  };
}

function toRegister(value) {
  if (value === undefined) return require('prom-client').register;
  const isRegister = webidl.isObject(value) &&
    REGISTER_METHODS.every((name) => typeof value[name] === 'function');
  if (!isRegister) throw REGISTER.error('a Registry of prom-client', value);
  return value;
}

function toPrefix(value) {
  const prefix = webidl.optional(value, webidl.toString, PREFIX) ?? '';
  if (!PREFIX_SYNTAX.test(prefix)) {
    throw PREFIX.error('the beginning of a metric name', value, 'ERR_INVALID_ARG_VALUE');
  }
  return prefix;
}

function toLabels(value) {
  const labels = webidl.toDictionary(value, LABELS) ?? {};
  return Object.fromEntries(Object.entries(labels).map(([name, text]) => {
    if (!LABEL_SYNTAX.test(name) || OWN_LABELS.includes(name)) {
      const received = `one with the label ${JSON.stringify(name)}`;
      const own = OWN_LABELS.map((each) => `'${each}'`).join(', ');
      const expected = `an object whose keys are label names other than ${own}`;
      throw LABELS.mismatch(expected, received, 'ERR_INVALID_ARG_VALUE');
    }
    return [name, webidl.toString(text, new webidl.Parameter(OPERATION, `the label ${name}`))];
  }));
}

// Each thread has a register of its own, and the figures of its own tasks.
function ownThread() {
  return isMainThread ? {} : { thread_id: `${threadId}` };
}

function checkAbsent(register, name) {
  if (register.getSingleMetric(name) === undefined) return;
  const error = new Error(
    `Failed to execute ${OPERATION}: the register has a metric named ${name} already. ` +
      'Call stop() of what an earlier call has returned, or use another register or prefix.',
  );
  throw withCode(error, 'ERR_INVALID_STATE');
}

module.exports = { collectTasks };
