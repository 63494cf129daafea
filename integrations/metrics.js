'use strict';

// The table of metrics about tasks, requests and jobs, from which the exporters for Prometheus and
// OpenTelemetry come. Each entry has the source of its values: a monitor, or the counts of this
// thread's admissions and IdleWorkers.

const { watch } = require('./internal.js');
const { blockedTimes } = require('./blocked.js');
const { countsByQueue } = require('./bullmq/counts.js');
const { allCounts, allRoutes } = require('./http/admission/counts.js');

const { ExportedLabels, neverFalling } = watch;

const MILLISECONDS_PER_SECOND = 1000;

const toSeconds = (time) => time / MILLISECONDS_PER_SECOND;

// Each of these makes a function that returns all values of a metric: pairs of attributes and the
// result of `read`.
const ofPriorities = (read) => ({ monitor }) => readAll(Object.entries(monitor.priorities), read);
const ofRequests = (read) => () => readAll(allCounts(), read);
const ofRoutes = (read) => () => allRoutes().map(([route, each]) => [{ route }, read(each)]);
const ofLabels = (read) => ({ exported, monitor }) => {
  return exported.read(monitor.labels).map((each) => {
    const { label, priority } = each;
    return [{ label, priority }, read(each)];
  });
};
const ofQueues = (read) => () => countsByQueue().map(([queue, each]) => [{ queue }, read(each)]);

function readAll(byPriority, read) {
  return byPriority.map(([priority, each]) => [{ priority }, read(each)]);
}

// The same if `read` returns an object of numbers. The keys become an attribute.
const split = (attribute, valuesOf) => (sources) => valuesOf(sources).flatMap(([own, numbers]) => {
  return Object.entries(numbers).map(([key, number]) => [{ ...own, [attribute]: key }, number]);
});

// Each metric has a name in OpenTelemetry's form, a kind, a unit, and a help text. The kind is
// 'counter', 'gauge', 'sum' (a gauge whose values add up over processes), or 'histogram' (whose
// values are distributions of times). For the unit 's', `read` returns milliseconds, as all times
// of the package are. `aggregator` is the function by which prom-client combines the values of
// several processes; the default is their sum.
const METRICS = [
  {
    name: 'task.wait',
    kind: 'histogram',
    unit: 's',
    help: 'How long tasks and continuations were queued until they started',
    read: ofPriorities(({ wait }) => wait),
  },
  {
    name: 'task.duration',
    kind: 'histogram',
    unit: 's',
    help: 'How long callbacks and continuations blocked the thread',
    read: ofPriorities(({ duration }) => duration),
  },
  {
    name: 'tasks',
    kind: 'counter',
    unit: '{task}',
    help: 'Tasks that were completed, failed or aborted, and continuations that started',
    read: split('outcome', ofPriorities(({ completed, failed, aborted }) => {
      return { completed, failed, aborted };
    })),
  },
  {
    name: 'tasks.queued',
    kind: 'sum',
    unit: '{task}',
    help: 'Tasks and continuations that are queued now',
    read: ofPriorities(({ queued }) => queued),
  },
  {
    name: 'tasks.oldest',
    kind: 'gauge',
    unit: 's',
    help: 'How long the oldest queued task or continuation has waited',
    aggregator: 'max',
    read: ofPriorities(({ oldest }) => oldest),
  },
  {
    name: 'time',
    kind: 'counter',
    unit: 's',
    help: 'The time of the thread: in tasks of each priority, in other callbacks, and idle',
    read: split('state', ({ monitor, times }) => [[{}, times(monitor.time)]]),
  },
  {
    name: 'held',
    kind: 'counter',
    unit: 's',
    help: 'How long background tasks were held for the container or the machine',
    read: split('reason', ({ monitor }) => [[{}, monitor.heldTime]]),
  },
  {
    name: 'blocked',
    kind: 'counter',
    unit: 's',
    help: 'How long callbacks blocked the thread beyond the bound of uv-scheduler/report',
    read: ({ blocked }) => blocked.all,
  },
  {
    name: 'requests',
    kind: 'counter',
    unit: '{request}',
    help: 'Requests: admitted, observed, left, withdrawn, or refused, by reason',
    read: split('outcome', ofRequests(({ admitted, observed, refused, left, withdrawn }) => {
      return { admitted, observed, left, withdrawn, ...refused };
    })),
  },
  {
    name: 'requests.would_refuse',
    kind: 'counter',
    unit: '{request}',
    help: 'Observed requests that would have been refused',
    read: ofRequests(({ wouldRefuse }) => wouldRefuse),
  },
  {
    name: 'requests.queued',
    kind: 'sum',
    unit: '{request}',
    help: 'Requests that wait for their first turn',
    read: ofRequests(({ queued }) => queued),
  },
  {
    name: 'requests.running',
    kind: 'sum',
    unit: '{request}',
    help: 'Admitted requests whose responses have neither finished nor closed',
    read: ofRequests(({ running }) => running),
  },
  {
    name: 'requests.raised',
    kind: 'counter',
    unit: '{request}',
    help: 'Requests whose priority was raised, as their continuations had waited for long',
    read: ofRequests(({ raised }) => raised),
  },
  {
    name: 'request.wait',
    kind: 'histogram',
    unit: 's',
    help: 'How long admitted requests waited for their first turn',
    read: ofRequests(({ wait }) => wait),
  },
  {
    name: 'route.requests',
    kind: 'counter',
    unit: '{request}',
    help: 'Requests by route, where an admission tells routes apart',
    read: ofRoutes(({ requests }) => requests),
  },
  {
    name: 'route.refused',
    kind: 'counter',
    unit: '{request}',
    help: 'Refused requests by route',
    read: ofRoutes(({ refused }) => refused),
  },
  {
    name: 'route.time',
    kind: 'counter',
    unit: 's',
    help: 'The thread time of requests by route',
    read: ofRoutes(({ threadTime }) => threadTime),
  },
  {
    name: 'jobs.given_back',
    kind: 'counter',
    unit: '{job}',
    help: 'Jobs that IdleWorkers gave back: busy, no-turn, closing or draining',
    read: split('reason', ofQueues(({ givenBack }) => givenBack)),
  },
  {
    name: 'jobs.discarded',
    kind: 'counter',
    unit: 's',
    help: 'How long jobs that IdleWorkers gave back had run, including interruptions',
    read: ofQueues(({ discardedTime }) => discardedTime),
  },
  {
    name: 'jobs.idle_wait',
    kind: 'counter',
    unit: 's',
    help: 'How long IdleWorkers waited for an idle loop before they fetched a job',
    read: ofQueues(({ waitTime }) => waitTime),
  },
];

// The metrics by label, if the application requests them.
const LABEL_METRICS = [
  {
    name: 'label.time',
    kind: 'counter',
    unit: 's',
    help: 'How long tasks and continuations of a label blocked the thread',
    read: ofLabels(({ time }) => time),
  },
  {
    name: 'label.tasks',
    kind: 'counter',
    unit: '{task}',
    help: 'How many tasks and continuations of a label have run',
    read: ofLabels(({ count }) => count),
  },
];

// A distribution of times in seconds.
function distributionInSeconds({ buckets, count, sum }) {
  return {
    buckets: buckets.map((bucket) => ({ le: toSeconds(bucket.le), count: bucket.count })),
    count,
    sum: toSeconds(sum),
  };
}

// The conversions of values: of histograms by their kind, of all other metrics by their unit.
const UNITS = { histogram: distributionInSeconds, s: toSeconds };

// The upper bounds of the buckets of all histograms in seconds.
function bucketBounds({ priorities }) {
  return priorities['user-visible'].duration.buckets.map(({ le }) => toSeconds(le));
}

// The metrics of a monitor, each with a function `read()` that returns pairs of attributes and a
// value, times in seconds. `maxLabels` is the number of labels with metrics.
function metricsOf(monitor, maxLabels) {
  const exported = new ExportedLabels(maxLabels);
  const sources = { monitor, times: neverFalling(), exported, blocked: blockedTimes() };
  const wanted = maxLabels === 0 ? METRICS : [...METRICS, ...LABEL_METRICS];
  return wanted.map(({ read, ...metric }) => {
    const { kind, unit } = metric;
    const inUnit = UNITS[kind === 'histogram' ? kind : unit] ?? ((value) => value);
    return { ...metric, read: () => read(sources).map(([own, value]) => [own, inUnit(value)]) };
  });
}

module.exports = { LABEL_METRICS, METRICS, bucketBounds, metricsOf, toSeconds };
