'use strict';

// OpenTelemetry's context and spans through every function of the package: a callback and a
// continuation have those of the call, a listener those of whoever aborts or changes the priority.

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
const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

const name = () => context.active().getValue(KEY);
const within = (value, callback) => {
  return context.with(context.active().setValue(KEY, value), callback);
};

// Everything that runs is checked here, in the context that it must have.
let checks = 0;
function check(expected) {
  assert.equal(name(), expected);
  checks++;
}

// Each posts a task whose body is `callback`, in a way of its own.
const WAYS = {
  moved(callback) {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const dependent = TaskSignal.any([signal], { priority: signal });
    const task = scheduler.postTask(callback, { signal: dependent });
    // By code outside of the task.
    within('mover', () => controller.setPriority('user-blocking'));
    return task;
  },
  delayed: (callback) => scheduler.postTask(callback, { delay: 3 }),
  idle: (callback) => new Promise((resolve, reject) => {
    requestIdleCallback(() => callback().then(resolve, reject));
  }),
};
for (const priority of PRIORITIES) {
  WAYS[priority] = (callback) => scheduler.postTask(callback, { priority });
}

// The body of a task: the context holds through continuations, and what the task itself sets
// reaches the tasks that it posts and nothing else.
async function body(expected) {
  check(expected);
  for (const priority of [undefined, ...PRIORITIES]) {
    await scheduler.yield({ priority });
    check(expected);
  }
  await within('inner', () => scheduler.postTask(async () => {
    check('inner');
    await scheduler.yield();
    check('inner');
  }));
  check(expected);
}

// All at once, each in a context of its own, and with a span of its own.
async function everyWay() {
  const spans = new Map();
  await Promise.all(Object.entries(WAYS).map(([way, post]) => {
    return tracer.startActiveSpan(way, (span) => within(way, async () => {
      spans.set(way, span.spanContext());
      await post(async () => {
        await body(way);
        tracer.startSpan(`${way}/child`).end();
      });
      check(way);
      span.end();
    }));
  }));
  const finished = exporter.getFinishedSpans();
  for (const [way, { spanId, traceId }] of spans) {
    const child = finished.find((each) => each.name === `${way}/child`);
    assert.equal(child.parentSpanContext.spanId, spanId);
    assert.equal(child.spanContext().traceId, traceId);
  }
}

async function listeners() {
  const controller = new TaskController({ priority: 'background' });
  const { signal } = controller;
  const dependent = TaskSignal.any([signal]);
  const heard = [];
  const hear = (what) => () => heard.push(`${what}:${name()}`);
  const rejected = within('poster', () => {
    signal.addEventListener('prioritychange', () => {
      hear('prioritychange')();
      scheduler.postTask(hear('posted'), { priority: 'user-blocking' });
    });
    signal.addEventListener('abort', hear('abort'));
    dependent.onabort = hear('dependent');
    return scheduler.postTask(hear('ran'), { signal }).catch(hear('rejected'));
  });
  within('changer', () => controller.setPriority('user-visible'));
  within('aborter', () => controller.abort());
  await rejected;
  await within('continuer', () => scheduler.yield({ signal }).catch(hear('yield')));
  await scheduler.postTask(() => {});
  assert.deepEqual(heard, ['prioritychange:changer', 'abort:aborter', 'dependent:aborter',
    'rejected:poster', 'yield:continuer', 'posted:changer']);
}

async function main() {
  await everyWay();
  await listeners();
  console.log(checks);
}

main();
