'use strict';

// A span for each task.

const { SpanStatusCode, context, trace } = require('@opentelemetry/api');
const { shared } = require('../../lib/watch/channels.js');
const { MILLISECONDS_PER_SECOND, SCOPE, THREAD, guarded } = require('./common.js');

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

module.exports = { TaskSpans };
