'use strict';

// OpenTelemetry's context and spans through tasks. A callback and a continuation have the context
// of the code that posted them. A listener of a signal has the context of the code that aborted the
// signal or changed its priority.

const assert = require('node:assert').strict;
const { context, createContextKey, trace } = require('@opentelemetry/api');
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
const { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } =
  require('@opentelemetry/sdk-trace-node');

const { TaskController, TaskSignal, requestIdleCallback, scheduler } = globalThis;

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register({ contextManager: new AsyncLocalStorageContextManager() });
const tracer = trace.getTracer('test');

const KEY = createContextKey('name');

const name = () => context.active().getValue(KEY);
const within = (value, callback) => context.with(context.active().setValue(KEY, value), callback);

// Each posts a task whose body is `callback`, in a way of its own.
const WAYS = {
  // Moved by code outside of the task.
  moved(callback) {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const dependent = TaskSignal.any([signal], { priority: signal });
    const task = scheduler.postTask(callback, { signal: dependent });
    within('mover', () => controller.setPriority('user-blocking'));
    return task;
  },
  usual: (callback) => scheduler.postTask(callback),
  delayed: (callback) => scheduler.postTask(callback, { delay: 3 }),
  idle: (callback) => new Promise((resolve, reject) => {
    requestIdleCallback(() => callback().then(resolve, reject));
  }),
};

// All at once, each in a context of its own, and with a span of its own.
async function everyWay() {
  await Promise.all(Object.entries(WAYS).map(([way, post]) => {
    return tracer.startActiveSpan(way, (span) => within(way, async () => {
      const seen = [];
      await post(async () => {
        seen.push(name());
        await scheduler.yield();
        seen.push(name());
        tracer.startSpan(`${way}/child`).end();
      });
      assert.deepEqual([...seen, name()], [way, way, way]);
      span.end();
      const child = exporter.getFinishedSpans().find((each) => each.name === `${way}/child`);
      const { spanId, traceId } = span.spanContext();
      assert.equal(child.parentSpanContext.spanId, spanId);
      assert.equal(child.spanContext().traceId, traceId);
    }));
  }));
}

async function listeners() {
  const controller = new TaskController({ priority: 'background' });
  const { signal } = controller;
  const heard = [];
  const hear = (what) => () => heard.push(`${what}:${name()}`);
  const rejected = within('poster', () => {
    signal.addEventListener('prioritychange', hear('prioritychange'));
    signal.addEventListener('abort', hear('abort'));
    TaskSignal.any([signal]).onabort = hear('dependent');
    return scheduler.postTask(hear('ran'), { signal }).catch(hear('rejected'));
  });
  within('changer', () => controller.setPriority('user-visible'));
  within('aborter', () => controller.abort());
  await rejected;
  assert.deepEqual(heard,
    ['prioritychange:changer', 'abort:aborter', 'dependent:aborter', 'rejected:poster']);
}

async function main() {
  await everyWay();
  await listeners();
  console.log('checked');
}

main();
