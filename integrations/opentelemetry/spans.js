'use strict';

// A span for each task.

const { SpanStatusCode, context, createContextKey, trace } = require('@opentelemetry/api');
const { watch } = require('../internal.js');
const { toSeconds } = require('../metrics.js');
const { SCOPE, THREAD, guarded } = require('./common.js');

const { contexts } = watch;

// A chain of tasks that post tasks would make an endless trace. After this many tasks of a chain a
// new trace begins, with a link to the last span before.
const MOST_GENERATIONS = 100;

// In the context of a span: the position of the task in its chain.
const GENERATION = createContextKey('uv-scheduler: generation');

class TaskSpans {
  #tracer;
  // The application's filter: whether a message gets a span.
  #filter;
  // By message: the context at the post, later the context of the span; and the span.
  #states = new WeakMap();

  constructor(provider, filter) {
    this.#tracer = provider.getTracer(...SCOPE);
    this.#filter = filter;
  }

  // Continuations belong to the span of their task.
  posted(message) {
    if (message.isContinuation) return;
    this.#states.set(message, { context: context.active(), span: undefined });
  }

  // Calls the callback of a task, or the next caller, with the span of the task active.
  call(message, callback) {
    const state = this.#states.get(message);
    if (state === undefined) return callback();
    if (this.#isWanted(message)) guarded(() => this.#start(message, state));
    return context.with(state.context, callback);
  }

  // True if the filter fails.
  #isWanted(message) {
    if (this.#filter === undefined) return true;
    return guarded(() => ({ isWanted: Boolean(this.#filter(message)) }))?.isWanted ?? true;
  }

  #start(message, state) {
    const { label, priority, queuedAt, startedAt } = message;
    const attributes = {
      'uv_scheduler.priority': priority,
      'uv_scheduler.wait': toSeconds(Math.max(0, startedAt - queuedAt)),
      ...THREAD,
    };
    const name = label === '' ? 'task' : label;
    const generation = (state.context.getValue(GENERATION) ?? 0) + 1;
    const before = trace.getSpanContext(state.context);
    const isFirst = generation > MOST_GENERATIONS && before !== undefined;
    const place = isFirst ? { root: true, links: [{ context: before }] } : {};
    const span = this.#tracer.startSpan(name, { attributes, ...place }, state.context);
    state.span = span;
    state.context = trace.setSpan(state.context, span)
      .setValue(GENERATION, isFirst ? 1 : generation);
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

  // Ends the spans of running tasks.
  stop() {
    for (const { visitRunning } of contexts()) {
      visitRunning(({ message }) => {
        if (message !== undefined) guarded(() => this.end(message));
      });
    }
  }
}

// An event on the active span, if there is one.
function addBlocked({ duration, kind, place, route, stack }) {
  trace.getActiveSpan()?.addEvent('uv_scheduler.blocked', {
    'uv_scheduler.duration': toSeconds(duration),
    'uv_scheduler.place': place,
    'uv_scheduler.route': route,
    'uv_scheduler.kind': kind,
    'code.stacktrace': stack,
  });
}

module.exports = { TaskSpans, addBlocked };
