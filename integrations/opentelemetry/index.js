'use strict';

// The export of `uv-scheduler/opentelemetry`: metrics and spans of tasks, by OpenTelemetry's API
// only. Listens to the watch of the thread, as traces do, so that durations include microtasks, as
// in a monitor; in the diagnostics channels they do not.

const { metrics, trace } = require('@opentelemetry/api');
const { watch, watchUntil, webidl, withCode } = require('../internal.js');
const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const { blocked } = require('../blocked.js');
const { guarded } = require('./common.js');
const { TaskMetrics } = require('./metrics.js');
const { TaskSpans, addBlocked } = require('./spans.js');

const { theWatch, toMostLabels } = watch;

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

// A listener of the watch of the thread; see watch/watch.js.
class Instrumentation {
  needsMessages = true;
  #metrics;
  #spans;
  // Defined only if callbacks must be called with their spans active.
  call;

  constructor(taskMetrics, spans) {
    this.#metrics = taskMetrics;
    this.#spans = spans;
    if (spans === undefined) return;
    this.call = (message, callback) => spans.call(message, callback);
    subscribe(blocked.name, this.#addBlocked);
  }

  // The span that is active in the code that has blocked the thread.
  #addBlocked = (message) => guarded(() => addBlocked(message));

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
    unsubscribe(blocked.name, this.#addBlocked);
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

// Returns a function that ends the instrumentation.
function begin(meterProvider, tracerProvider, maxTaskLabels, filter) {
  checkProvider(meterProvider, 'getMeter', 'a MeterProvider', METER_PROVIDER);
  checkProvider(tracerProvider, 'getTracer', 'a TracerProvider', TRACER_PROVIDER);
  const providers = [meterProvider, tracerProvider].filter((provider) => provider !== null);
  // Created first, so that a provider that throws leaves no metrics behind, which begin when they
  // are created.
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

// `null` means none.
function checkProvider(provider, method, expected, parameter) {
  if (provider === null) return;
  if (!webidl.isObject(provider) || typeof provider[method] !== 'function') {
    throw parameter.error(`${expected} of OpenTelemetry or null`, provider);
  }
  if (!inUse.has(provider)) return;
  const error = new Error(
    `Failed to execute ${OPERATION}: ${parameter.name} already gets the tasks of this thread. ` +
      "Call stop() of the earlier call's result, or use another provider.",
  );
  throw withCode(error, 'ERR_INVALID_STATE');
}

module.exports = { instrumentTasks };
