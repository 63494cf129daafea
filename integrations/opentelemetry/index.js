'use strict';

// The export of `uv-scheduler/opentelemetry`: metrics and spans of tasks, by OpenTelemetry's API
// alone. Listens to what watches the tasks of the thread, as traces do, so that the durations are
// those of a monitor; from the diagnostics channels they would lack the microtasks.

// First, as it refuses a host that cannot be used.
require('../../index.js');
const { metrics, trace } = require('@opentelemetry/api');
const { toMostLabels } = require('../../lib/watch/exported-labels.js');
const { theWatch } = require('../../lib/watch/index.js');
const { watchUntil } = require('../../lib/watch/watching.js');
const { withCode } = require('../../lib/webidl/error-code.js');
const webidl = require('../../lib/webidl/conversions.js');
const { guarded } = require('./common.js');
const { TaskMetrics } = require('./metrics.js');
const { TaskSpans } = require('./spans.js');

const OPERATION = "'instrumentTasks'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const METER_PROVIDER = OPTIONS.member('meterProvider');
const TRACER_PROVIDER = OPTIONS.member('tracerProvider');

const MEMBERS = {
  meterProvider: (provider) => provider,
  tracerProvider: (provider) => provider,
  maxTaskLabels: toMostLabels,
  filter: webidl.toFunction,
  signal: webidl.toAbortSignal,
};

// The providers that get the metrics or spans of this thread.
const inUse = new WeakSet();

// What the watch of the thread calls; see watch/watch.js.
class Instrumentation {
  #metrics;
  #spans;
  // Only there if callbacks are to be called by it.
  call;

  constructor(taskMetrics, spans) {
    this.#metrics = taskMetrics;
    this.#spans = spans;
    if (spans !== undefined) this.call = (message, callback) => spans.call(message, callback);
  }

  posted(message) {
    if (this.#spans !== undefined) guarded(() => this.#spans.posted(message));
  }

  stepped(step, now) {
    if (this.#metrics === undefined || !step.isCounted) return;
    guarded(() => this.#metrics.record(step, now, this.#spans?.contextOf(step.message)));
  }

  settled(message) {
    if (this.#spans !== undefined) guarded(() => this.#spans.end(message));
  }

  turned() {}

  joined() {}

  joinsEnd() {}

  stop() {
    this.#metrics?.stop();
    this.#spans?.stop();
  }
}

function instrumentTasks(options = undefined) {
  const {
    meterProvider = metrics.getMeterProvider(),
    tracerProvider = trace.getTracerProvider(),
    maxTaskLabels = 0,
    filter,
    signal,
  } = webidl.readOptions(options, OPTIONS, MEMBERS);
  return watchUntil(signal, () => begin(meterProvider, tracerProvider, maxTaskLabels, filter));
}

// Returns a function that ends it.
function begin(meterProvider, tracerProvider, maxTaskLabels, filter) {
  checkProvider(meterProvider, 'getMeter', 'a MeterProvider', METER_PROVIDER);
  checkProvider(tracerProvider, 'getTracer', 'a TracerProvider', TRACER_PROVIDER);
  const providers = [meterProvider, tracerProvider].filter((provider) => provider !== null);
  // First, so that a provider that throws leaves nothing behind: metrics begin when they are made.
  const spans = tracerProvider === null ? undefined : new TaskSpans(tracerProvider, filter);
  const taskMetrics =
    meterProvider === null ? undefined : new TaskMetrics(meterProvider, maxTaskLabels);
  const instrumentation = new Instrumentation(taskMetrics, spans);
  for (const provider of providers) inUse.add(provider);
  const watch = theWatch();
  watch.addListener(instrumentation);
  return () => {
    watch.removeListener(instrumentation);
    instrumentation.stop();
    for (const provider of providers) inUse.delete(provider);
  };
}

// `null` says: none.
function checkProvider(provider, method, expected, parameter) {
  if (provider === null) return;
  if (!webidl.isObject(provider) || typeof provider[method] !== 'function') {
    throw parameter.error(`${expected} of OpenTelemetry or null`, provider);
  }
  if (!inUse.has(provider)) return;
  const error = new Error(
    `Failed to execute ${OPERATION}: ${parameter.name} gets the tasks of this thread already. ` +
      'Call stop() of what the earlier call has returned, or use another provider.',
  );
  throw withCode(error, 'ERR_INVALID_STATE');
}

module.exports = { instrumentTasks };
