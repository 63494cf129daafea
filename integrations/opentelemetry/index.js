'use strict';

// The export of `uv-scheduler/opentelemetry`: metrics and spans of tasks, by OpenTelemetry's API
// alone. Listens to what watches the tasks of the thread, as traces do, so that the durations are
// those of a monitor; from the diagnostics channels they would lack the microtasks.

// First, as it refuses a host that cannot be used.
const { monitorTasks } = require('../../index.js');
const { SpanStatusCode, context, diag, metrics, trace } = require('@opentelemetry/api');
const { isMainThread, threadId } = require('node:worker_threads');
const jobs = require('../bullmq/metrics.js');
const { withCode } = require('../../lib/webidl/error-code.js');
const { neverFalling } = require('../../lib/watch/never-falling.js');
const { shared } = require('../../lib/watch/channels.js');
const { NANOSECONDS_PER_SECOND } = require('../../lib/watch/clock.js');
const { PRIORITIES } = require('../../lib/watch/priorities.js');
const webidl = require('../../lib/webidl/conversions.js');
const { theWatch } = require('../../lib/watch/index.js');

const OPERATION = "'instrumentTasks'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const METER_PROVIDER = new webidl.Parameter(OPERATION, 'the member meterProvider');
const TRACER_PROVIDER = new webidl.Parameter(OPERATION, 'the member tracerProvider');

const MEMBERS = ['meterProvider', 'tracerProvider'];

const SCOPE = 'uv-scheduler';

const MILLISECONDS_PER_SECOND = 1000;

// The threads of a process share what describes the process.
const THREAD = isMainThread ? {} : { 'thread.id': threadId };

// The providers that get the metrics or spans of this thread.
const inUse = new WeakSet();

// Calls a function of OpenTelemetry. If it fails, tasks go on.
function guarded(call) {
  try {
    return call();
  } catch (error) {
    diag.error(`uv-scheduler: ${error?.message}`, error);
    return undefined;
  }
}

class TaskMetrics {
  #delay;
  #duration;
  #time;
  #held;
  #attributes = PRIORITIES.map((priority) => ({ 'uv_scheduler.priority': priority, ...THREAD }));
  #monitor = monitorTasks();
  #times = neverFalling();
  #jobs;

  constructor(provider) {
    const meter = provider.getMeter(SCOPE);
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
    this.#time = meter.createObservableCounter('uv_scheduler.time', {
      description: 'The time of the thread: in tasks of each priority, in other callbacks, idle',
      unit: 's',
    });
    this.#time.addCallback(this.#observeTime);
    this.#held = meter.createObservableCounter('uv_scheduler.held', {
      description: 'How long background tasks were held although the loop was idle',
      unit: 's',
    });
    this.#held.addCallback(this.#observeHeld);
    this.#jobs = new JobMetrics(provider);
    this.#monitor.enable();
  }

  #observeTime = (result) => {
    for (const [state, seconds] of Object.entries(this.#times(this.#monitor.time))) {
      result.observe(seconds, { 'uv_scheduler.state': state, ...THREAD });
    }
  };

  #observeHeld = (result) => {
    for (const [reason, seconds] of Object.entries(this.#monitor.held)) {
      result.observe(seconds, { 'uv_scheduler.reason': reason, ...THREAD });
    }
  };

  record(step, now, within) {
    const attributes = this.#attributes[step.priority];
    const { message } = step;
    this.#duration.record((now - step.startedAt) / NANOSECONDS_PER_SECOND, attributes, within);
    // What was posted before has no message.
    if (message === undefined) return;
    const waited = Math.max(0, message.startedAt - message.queuedAt) / MILLISECONDS_PER_SECOND;
    this.#delay.record(waited, attributes, within);
  }

  stop() {
    this.#time.removeCallback(this.#observeTime);
    this.#held.removeCallback(this.#observeHeld);
    this.#jobs.stop();
    this.#monitor.disable();
  }
}

// What the IdleWorkers of this thread have counted.
class JobMetrics {
  #counters;

  constructor(provider) {
    const meter = provider.getMeter(SCOPE);
    this.#counters = jobs.METRICS.map((metric) => {
      const { name, description, unit } = metric;
      const options = { description, unit };
      const counter = meter.createObservableCounter(`uv_scheduler.jobs.${name}`, options);
      const observe = (result) => this.#observe(metric, result);
      counter.addCallback(observe);
      return { counter, observe };
    });
  }

  #observe(metric, result) {
    for (const [own, value] of jobs.valuesOf(metric)) {
      const attributes = Object.entries(own).map(([name, each]) => [`uv_scheduler.${name}`, each]);
      result.observe(value, { ...Object.fromEntries(attributes), ...THREAD });
    }
  }

  stop() {
    for (const { counter, observe } of this.#counters) counter.removeCallback(observe);
  }
}

class TaskSpans {
  #tracer;
  // By message: the context that was active at the post, then that of the span, and the span.
  #states = new WeakMap();

  constructor(provider) {
    this.#tracer = provider.getTracer(SCOPE);
  }

  // Continuations belong to the span of their task.
  posted(message) {
    if (message.isContinuation) return;
    this.#states.set(message, { context: context.active(), span: undefined });
  }

  // Calls the callback of a task, or what calls it, with the span of the task active.
  call(message, callback) {
    const state = this.#states.get(message);
    if (state === undefined) return callback();
    guarded(() => this.#start(message, state));
    return context.with(state.context, callback);
  }

  #start(message, state) {
    const { label, priority, queuedAt, startedAt } = message;
    const attributes = {
      'uv_scheduler.priority': priority,
      'uv_scheduler.delay': Math.max(0, startedAt - queuedAt) / MILLISECONDS_PER_SECOND,
      ...THREAD,
    };
    const name = label === '' ? 'task' : label;
    const span = this.#tracer.startSpan(name, { attributes }, state.context);
    state.span = span;
    state.context = trace.setSpan(state.context, span);
  }

  contextOf(message) {
    return message === undefined ? undefined : this.#states.get(message)?.context;
  }

  end(message) {
    const span = this.#states.get(message)?.span;
    if (span === undefined) return;
    const { outcome, error } = message;
    if (outcome !== undefined) span.setAttribute('uv_scheduler.outcome', outcome);
    if (outcome === 'failed') {
      const isError = error instanceof Error;
      if (isError || typeof error === 'string') span.recordException(error);
      const described = isError ? { message: error.message } : {};
      span.setStatus({ code: SpanStatusCode.ERROR, ...described });
    }
    span.end();
  }

  // Ends the spans of tasks that run.
  stop() {
    for (const { visitRunning } of shared.contexts) {
      visitRunning(({ message }) => {
        if (message !== undefined) guarded(() => this.end(message));
      });
    }
  }
}

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

  stop() {
    this.#metrics?.stop();
    this.#spans?.stop();
  }
}

function instrumentTasks(options = undefined) {
  const dictionary = webidl.toDictionary(options, OPTIONS) ?? {};
  webidl.checkMembers(dictionary, MEMBERS, OPTIONS);
  const { meterProvider = metrics.getMeterProvider() } = dictionary;
  const { tracerProvider = trace.getTracerProvider() } = dictionary;
  checkProvider(meterProvider, 'getMeter', 'a MeterProvider', METER_PROVIDER);
  checkProvider(tracerProvider, 'getTracer', 'a TracerProvider', TRACER_PROVIDER);
  const providers = [meterProvider, tracerProvider].filter((provider) => provider !== null);
  const instrumentation = new Instrumentation(
    meterProvider === null ? undefined : new TaskMetrics(meterProvider),
    tracerProvider === null ? undefined : new TaskSpans(tracerProvider),
  );
  for (const provider of providers) inUse.add(provider);
  const watch = theWatch();
  watch.addListener(instrumentation);
  let isStopped = false;
  return {
    stop() {
      if (isStopped) return;
      isStopped = true;
      watch.removeListener(instrumentation);
      instrumentation.stop();
      for (const provider of providers) inUse.delete(provider);
    },
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
