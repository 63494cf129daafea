'use strict';

// OpenTelemetry's context and spans through every function of the package: a callback and a
// continuation have those of the call, a listener those of whoever aborts or changes the priority.

const assert = require('node:assert').strict;
const { ROOT_CONTEXT, context, createContextKey, trace } = require('@opentelemetry/api');
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
const { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } =
  require('@opentelemetry/sdk-trace-node');

const { TaskController, TaskSignal, cancelIdleCallback, requestIdleCallback, scheduler } =
  globalThis;

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
const WAYS = {};
for (const priority of PRIORITIES) {
  WAYS[priority] = (callback) => scheduler.postTask(callback, { priority });
  WAYS[`${priority}, delayed`] = (callback) => scheduler.postTask(callback, { priority, delay: 3 });
  WAYS[`${priority}, of a signal`] = (callback) => {
    return scheduler.postTask(callback, { signal: new TaskController({ priority }).signal });
  };
  WAYS[`${priority}, moved`] = (callback) => {
    const controller = new TaskController({ priority: 'background' });
    const task = scheduler.postTask(callback, { signal: controller.signal });
    // By code outside of the task.
    within('mover', () => controller.setPriority(priority));
    return task;
  };
  WAYS[`${priority}, of a dependent signal`] = (callback) => {
    const { signal } = new TaskController({ priority });
    const dependent = TaskSignal.any([signal], { priority: signal });
    return scheduler.postTask(callback, { signal: dependent });
  };
}
WAYS['an idle callback'] = (callback) => new Promise((resolve, reject) => {
  requestIdleCallback(() => callback().then(resolve, reject));
});
WAYS['a late idle callback'] = (callback) => new Promise((resolve, reject) => {
  requestIdleCallback(() => callback().then(resolve, reject), { timeout: 1 });
});

// The body of a task: the context holds through continuations and awaits, and what the task itself
// sets reaches the tasks that it posts and nothing else.
async function body(expected) {
  check(expected);
  await scheduler.yield();
  check(expected);
  for (const priority of PRIORITIES) {
    await scheduler.yield({ priority });
    check(expected);
  }
  const inner = `${expected}/inner`;
  const children = PRIORITIES.map((priority) => within(inner, () => {
    return scheduler.postTask(async () => {
      check(inner);
      await scheduler.yield();
      check(inner);
    }, { priority }).then(() => check(inner));
  }));
  check(expected);
  await Promise.all(children);
  check(expected);
}

// All at once, each in a context of its own, and with a span of its own.
async function everyWay() {
  const spans = new Map();
  await Promise.all(Object.entries(WAYS).map(([way, post]) => {
    return tracer.startActiveSpan(way, (span) => within(way, async () => {
      spans.set(way, span);
      await post(async () => {
        assert.equal(trace.getActiveSpan(), span);
        const child = tracer.startSpan(`${way}/child`);
        await body(way);
        assert.equal(trace.getActiveSpan(), span);
        child.end();
      });
      check(way);
      span.end();
    }));
  }));
  const finished = exporter.getFinishedSpans();
  assert.equal(finished.length, 2 * spans.size);
  for (const [way, span] of spans) {
    const child = finished.find((each) => each.name === `${way}/child`);
    assert.equal(child.parentSpanContext.spanId, span.spanContext().spanId);
    assert.equal(child.spanContext().traceId, span.spanContext().traceId);
  }
}

async function listeners() {
  const controller = new TaskController({ priority: 'background' });
  const { signal } = controller;
  const heard = [];
  const rejected = within('poster', () => {
    signal.addEventListener('prioritychange', () => {
      heard.push(`prioritychange:${name()}`);
      scheduler.postTask(() => heard.push(`posted:${name()}`), { priority: 'user-blocking' });
    });
    signal.addEventListener('abort', () => heard.push(`abort:${name()}`));
    const task = scheduler.postTask(() => heard.push('ran'), { signal });
    return task.catch(() => heard.push(`rejected:${name()}`));
  });
  within('changer', () => controller.setPriority('user-visible'));
  within('aborter', () => controller.abort());
  await rejected;
  await scheduler.postTask(() => {});
  // Also for a dependent signal and a continuation.
  const source = new TaskController();
  const dependent = TaskSignal.any([source.signal]);
  dependent.onabort = () => heard.push(`dependent:${name()}`);
  const stopped = within('continuer', () => {
    return scheduler.postTask(async () => {
      within('aborter', () => source.abort());
      check('continuer');
      await scheduler.yield().catch(() => heard.push(`yield:${name()}`));
      check('continuer');
    }, { signal: dependent, priority: 'background' });
  });
  await stopped.catch(() => {});
  cancelIdleCallback(within('cancelled', () => requestIdleCallback(() => heard.push('idle'))));
  assert.deepEqual(heard, ['prioritychange:changer', 'abort:aborter', 'rejected:poster',
    'posted:changer', 'dependent:aborter', 'yield:continuer']);
}

// The state that yield() inherits holds in a context that the task's code opens.
async function inheritance() {
  const ran = [];
  await scheduler.postTask(async () => {
    const other = scheduler.postTask(() => ran.push('user-visible'));
    await within('opened', async () => {
      await scheduler.yield();
      check('opened');
      ran.push('continuation');
    });
    await other;
  }, { priority: 'background' });
  assert.deepEqual(ran, ['user-visible', 'continuation']);
}

async function main() {
  await everyWay();
  await listeners();
  await inheritance();
  assert.equal(context.active(), ROOT_CONTEXT);
  console.log(checks);
}

main();
