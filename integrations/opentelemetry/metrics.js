'use strict';

// The metrics of tasks. Delays and durations are recorded for each step. All else is read from a
// monitor, or from the IdleWorkers and admissions of this thread, when the SDK asks for it.

const { monitorTasks } = require('../../index.js');
const jobs = require('../bullmq/metrics.js');
const { allCounts, recordDelays } = require('../http/admission/counts.js');
const { NANOSECONDS_PER_SECOND } = require('../../lib/watch/clock.js');
const { ExportedLabels } = require('../../lib/watch/exported-labels.js');
const { neverFalling } = require('../../lib/watch/never-falling.js');
const { theWatch } = require('../../lib/watch/index.js');
const { PRIORITIES } = require('../../lib/watch/priorities.js');
const { MILLISECONDS_PER_SECOND, SCOPE, THREAD, guarded } = require('./common.js');

const OUTCOMES = ['completed', 'failed', 'aborted'];

// Each has a function that takes a monitor, and what keeps figures from falling, and returns pairs
// of a value and attributes. Without `create` it is a counter.
const OBSERVED = [
  {
    name: 'tasks',
    description: 'Tasks that have settled, and continuations that have started, by outcome',
    unit: '{task}',
    read: ({ priorities }) => Object.entries(priorities).flatMap(([priority, counts]) => {
      return OUTCOMES.map((outcome) => [counts[outcome], { priority, outcome }]);
    }),
  },
  {
    name: 'tasks.queued',
    description: 'Tasks and continuations that are queued now',
    unit: '{task}',
    create: 'createObservableUpDownCounter',
    read: ({ priorities }) => Object.entries(priorities).map(([priority, { queued }]) => {
      return [queued, { priority }];
    }),
  },
  {
    name: 'tasks.oldest',
    description: 'How long the oldest queued task or continuation has waited',
    unit: 's',
    create: 'createObservableGauge',
    read: ({ priorities }) => Object.entries(priorities).map(([priority, { oldest }]) => {
      return [oldest / MILLISECONDS_PER_SECOND, { priority }];
    }),
  },
  {
    name: 'time',
    description: 'The time of the thread: in tasks of each priority, in other callbacks, idle',
    unit: 's',
    read: (monitor, { times }) => Object.entries(times(monitor.time)).map(([state, seconds]) => {
      return [seconds, { state }];
    }),
  },
  {
    name: 'held',
    description: 'How long background tasks were held although the loop was idle',
    unit: 's',
    read: ({ held }) => Object.entries(held).map(([reason, seconds]) => [seconds, { reason }]),
  },
  // What the IdleWorkers of this thread have counted.
  ...jobs.METRICS.map((metric) => ({
    name: `jobs.${metric.name}`,
    description: metric.description,
    unit: metric.unit,
    read: () => jobs.valuesOf(metric).map(([own, value]) => [value, own]),
  })),
  // What the admissions of this thread have counted.
  {
    name: 'requests',
    description:
      'Requests by what an admission has made of them: admitted, left, withdrawn, or why refused',
    unit: '{request}',
    read: () => [...allCounts()].flatMap(([priority, { admitted, refused, left, withdrawn }]) => {
      return Object.entries({ admitted, left, withdrawn, ...refused }).map(([outcome, count]) => {
        return [count, { priority, outcome }];
      });
    }),
  },
  {
    name: 'requests.waiting',
    description: 'Requests that wait for their first turn',
    unit: '{request}',
    create: 'createObservableGauge',
    read: () => [...allCounts()].map(([priority, { waiting }]) => [waiting, { priority }]),
  },
  {
    name: 'requests.running',
    description: 'Admitted requests whose responses have neither finished nor closed',
    unit: '{request}',
    create: 'createObservableGauge',
    read: () => [...allCounts()].map(([priority, { running }]) => [running, { priority }]),
  },
  {
    name: 'requests.raised',
    description: 'Requests whose priority was raised, as their continuations had waited for long',
    unit: '{request}',
    read: () => [...allCounts()].map(([priority, { raised }]) => [raised, { priority }]),
  },
];

// Those by label, if the application wants them.
const OBSERVED_LABELS = [
  {
    name: 'label.time',
    description: 'How long tasks of the labels that take most time held the thread',
    unit: 's',
    read: ({ labels }, { exported }) => exported.read(labels).map((each) => {
      const { label, priority, seconds } = each;
      return [seconds, { label, priority }];
    }),
  },
  {
    name: 'label.tasks',
    description: 'How many tasks of the labels that take most time have run',
    unit: '{task}',
    read: ({ labels }, { exported }) => exported.read(labels).map((each) => {
      const { label, priority, count } = each;
      return [count, { label, priority }];
    }),
  },
];

// The names as OpenTelemetry gets them.
function prefixed(attributes) {
  const own = Object.entries(attributes).map(([name, value]) => [`uv_scheduler.${name}`, value]);
  return { ...Object.fromEntries(own), ...THREAD };
}

class TaskMetrics {
  #delay;
  #duration;
  #attributes = PRIORITIES.map((priority) => prefixed({ priority }));
  #monitor = monitorTasks();
  // What had begun before counts from here, as for the monitor.
  #since = theWatch().now();
  #endRecording;
  // Pairs of an instrument and what it calls.
  #observed;

  // `mostLabels`: how many labels get metrics.
  constructor(provider, mostLabels) {
    const meter = provider.getMeter(...SCOPE);
    // Those of a monitor, without the last one, which is infinite. A view of the application can
    // say others.
    const { buckets } = this.#monitor.priorities['user-visible'].duration;
    const advice = { explicitBucketBoundaries: buckets.slice(0, -1).map(({ le }) => le) };
    const histogram = (name, description) => {
      return meter.createHistogram(name, { description, unit: 's', advice });
    };
    this.#delay = histogram(
      'uv_scheduler.task.delay', 'How long tasks and continuations were queued');
    this.#duration = histogram(
      'uv_scheduler.task.duration', 'How long callbacks and continuations held the thread');
    const shown = { times: neverFalling(), exported: new ExportedLabels(mostLabels) };
    const requestDelay = histogram(
      'uv_scheduler.request.delay', 'How long admitted requests waited for their first turn');
    const wanted = mostLabels === 0 ? OBSERVED : [...OBSERVED, ...OBSERVED_LABELS];
    // All are made before any is used: a meter that throws leaves nothing behind.
    this.#observed = wanted.map((each) => this.#observe(meter, each, shown));
    for (const [instrument, callback] of this.#observed) instrument.addCallback(callback);
    this.#endRecording = recordDelays((priority, delay) => {
      guarded(() => {
        requestDelay.record(delay / MILLISECONDS_PER_SECOND, prefixed({ priority }));
      });
    });
    this.#monitor.enable();
  }

  #observe(meter, each, shown) {
    const { name, description, unit, create = 'createObservableCounter', read } = each;
    const instrument = meter[create](`uv_scheduler.${name}`, { description, unit });
    const callback = (result) => {
      for (const [value, attributes] of read(this.#monitor, shown)) {
        result.observe(value, prefixed(attributes));
      }
    };
    return [instrument, callback];
  }

  record(step, now, within) {
    const attributes = this.#attributes[step.priority];
    const { message } = step;
    const duration = Math.max(0, now - Math.max(step.startedAt, this.#since));
    this.#duration.record(duration / NANOSECONDS_PER_SECOND, attributes, within);
    // What was posted before may have no message.
    if (message === undefined || step.startedAt < this.#since) return;
    const waited = Math.max(0, message.startedAt - message.queuedAt) / MILLISECONDS_PER_SECOND;
    this.#delay.record(waited, attributes, within);
  }

  stop() {
    this.#endRecording();
    for (const [instrument, callback] of this.#observed) instrument.removeCallback(callback);
    this.#monitor.disable();
  }
}

module.exports = { TaskMetrics };
