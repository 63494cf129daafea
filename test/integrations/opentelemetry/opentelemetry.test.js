'use strict';

// `uv-scheduler/opentelemetry`: its instruments, and the spans of tasks, as the in-memory exporters
// of OpenTelemetry's SDK get them. metrics.test.js tests the values of the metrics, and workers.

const assert = require('node:assert/strict');
const { context, diag, metrics, trace } = require('@opentelemetry/api');
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
const {
  BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor,
} = require('@opentelemetry/sdk-trace-base');
const { channel } = require('node:diagnostics_channel');
const { setTimeout: sleep } = require('node:timers/promises');
const { TaskController, scheduler } = require('../../..');
const { reportSlowTasks } = require('uv-scheduler/watch');
const { instrumentTasks } = require('uv-scheduler/opentelemetry');
const { createTestScheduler } = require('uv-scheduler/testing');
const { busy } = require('../../helpers/busy.js');
const { LABEL_METRICS, METRICS, meters } = require('../../helpers/exporters.js');
const { LIMIT } = require('../../helpers/programs.js');
const { started, startedTask } = require('../../helpers/tasks.js');
const { theWatch } = require('../../../dist/watching.js').parts();

const PRIORITY = 'uv_scheduler.priority';

const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 1));

function tracers() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { provider, tracer: provider.getTracer('test'), spans: () => exporter.getFinishedSpans() };
}

const CREATE = {
  createHistogram: 'histogram',
  createObservableCounter: 'counter',
  createObservableGauge: 'gauge',
  createObservableUpDownCounter: 'sum',
};

// A meter provider whose instruments do nothing but what `create(kind, name, options)` returns.
function providerOf(create) {
  const meter = Object.fromEntries(Object.entries(CREATE).map(([method, kind]) => {
    return [method, (name, options) => {
      const own = create(kind, name, options);
      return { addCallback() {}, removeCallback() {}, record() {}, ...own };
    }];
  }));
  return { getMeter: () => meter };
}

const parentOf = (span) => span.parentSpanContext?.spanId;
const idOf = (span) => span.spanContext().spanId;

// The value for a priority.
const pointOf = (points, wanted) =>
  points.find(({ attributes }) => attributes[PRIORITY] === wanted)?.value;

describe('instrumentTasks()', () => {
  const stops = [];

  const instrument = (options) => {
    const instrumentation = instrumentTasks(options);
    stops.push(() => instrumentation.stop());
    return instrumentation;
  };

  before(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });

  after(() => context.disable());

  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    metrics.disable();
    trace.disable();
    diag.disable();
  });

  describe('with a meter provider', () => {
    it('creates each instrument with its kind and unit', () => {
      const created = [];
      const meterProvider = providerOf((kind, name, { unit, description }) => {
        assert.ok(description.length > 10, name);
        created.push([name, kind, unit]);
      });
      instrument({ meterProvider, tracerProvider: null, maxTaskLabels: 1 });
      assert.deepEqual(created, [...METRICS, ...LABEL_METRICS].map(([name, , kind, unit]) =>
        [`uv_scheduler.${name}`, kind, unit]));
    });

    it('counts only what comes behind when it begins inside of a callback', async () => {
      // Beside another one that watches, the task has a message already.
      const other = meters();
      instrument({ meterProvider: other.provider, tracerProvider: null });
      const { provider, read } = meters();
      const test = createTestScheduler();
      scheduler.postTask(() => {
        test.spend(100);
        instrument({ meterProvider: provider, tracerProvider: null });
        test.spend(5);
      });
      await test.flush();
      const { 'uv_scheduler.task.duration': durations, ...found } = await read();
      const { count, sum } = pointOf(durations, 'user-visible');
      assert.deepEqual([count, sum.toFixed(6)], [1, '0.005000']);
      assert.equal(found['uv_scheduler.task.wait'], undefined);
      test.stop();
    });

    it('leaves nothing behind if a provider throws', () => {
      const error = new Error('from a provider');
      const refuse = () => { throw error; };
      let added = 0;
      const create = (kind) => (kind === 'gauge' ? refuse() : { addCallback: () => added++ });
      const count = () => theWatch().statistics.length + theWatch().listeners.length;
      const before = count();
      for (const options of [
        { meterProvider: meters().provider, tracerProvider: { getTracer: refuse } },
        { meterProvider: providerOf(create), tracerProvider: null },
      ]) {
        assert.throws(() => instrument(options), error);
        assert.deepEqual([count(), added], [before, 0]);
      }
    });

    it('observes nothing more when it stops', async () => {
      const { provider, read } = meters();
      const { stop } = instrument({ meterProvider: provider, tracerProvider: null });
      await scheduler.postTask(() => {});
      await nextTurn();
      stop();
      await scheduler.postTask(() => {});
      await nextTurn();
      const { 'uv_scheduler.task.wait': wait, 'uv_scheduler.tasks': counts } = await read();
      assert.equal(pointOf(wait, 'user-visible').count, 1);
      assert.equal(counts, undefined);
    });
  });

  describe('with a tracer provider', () => {
    let spans;
    let tracer;

    beforeEach(() => {
      let provider;
      ({ provider, spans, tracer } = tracers());
      instrument({ meterProvider: null, tracerProvider: provider });
    });

    it('makes a span of each task and its chain, in the span of its post', async () => {
      let posted;
      const seen = [];
      const look = () => seen.push(idOf(trace.getActiveSpan()));
      const request = tracer.startSpan('request');
      context.with(trace.setSpan(context.active(), request), () => {
        posted = scheduler.postTask(async () => {
          look();
          await null;
          look();
          await scheduler.yield();
          look();
          await scheduler.wait(1);
          look();
          await scheduler.postTask(look, { label: 'inner' });
          look();
        }, { label: 'outer', priority: 'background' });
      });
      // When the task starts, the span of its post has ended, and another one is active.
      request.end();
      await tracer.startActiveSpan('other', async (span) => {
        await posted;
        span.end();
      });
      const [, inner, outer, , ...rest] = spans();
      assert.deepEqual([inner.name, outer.name, rest], ['inner', 'outer', []]);
      assert.deepEqual([outer, inner].map(parentOf), [request, outer].map(idOf));
      assert.equal(seen[4], idOf(inner));
      assert.deepEqual([...seen.slice(0, 4), seen[5]], Array(5).fill(idOf(outer)));
      assert.equal(trace.getActiveSpan(), undefined);
      const { 'uv_scheduler.wait': wait, ...attributes } = outer.attributes;
      assert.deepEqual(attributes, {
        'uv_scheduler.priority': 'background', 'uv_scheduler.outcome': 'completed',
      });
      assert.ok(wait >= 0 && wait < LIMIT / 1000, `${wait}`);
    });

    it('says what became of a task, and has no span of one that never started', async () => {
      for (const reason of [new RangeError('too many'), 'a text', undefined]) {
        await scheduler.postTask(() => Promise.reject(reason)).catch(() => {});
      }
      const controller = new TaskController();
      const { signal } = controller;
      const waiting = scheduler.postTask(assert.fail, { signal, delay: LIMIT });
      const { task } = await started(() => scheduler.wait(LIMIT), { signal });
      await nextTurn();
      controller.abort();
      for (const each of [waiting, task]) await assert.rejects(each, { name: 'AbortError' });
      const statuses = spans().map(({ status, events, attributes }) => [
        status, events.map((event) => event.attributes['exception.message']),
        attributes['uv_scheduler.outcome'],
      ]);
      assert.deepEqual(statuses, [
        [{ code: 2, message: 'too many' }, ['too many'], 'failed'],
        [{ code: 2 }, ['a text'], 'failed'],
        [{ code: 2 }, [], 'failed'],
        [{ code: 0 }, [], 'aborted'],
      ]);
    });

    it('ends the spans of tasks that run when it stops', async () => {
      const { task, finish } = await startedTask();
      await nextTurn();
      for (const stop of stops.splice(0)) stop();
      assert.deepEqual(spans().map(({ name, attributes }) => [name, attributes[PRIORITY]]), [
        ['task', 'user-visible'],
      ]);
      finish();
      await task;
      await scheduler.postTask(() => {});
      assert.equal(spans().length, 1);
    });
  });

  it('with a filter makes spans of the tasks that it wants, when they start', async () => {
    const { provider, spans, tracer } = tracers();
    const seen = [];
    const filter = (message) => {
      seen.push([message.label, message.startedAt >= message.queuedAt]);
      return message.label !== 'tick';
    };
    instrument({ meterProvider: null, tracerProvider: provider, filter });
    await tracer.startActiveSpan('request', async (request) => {
      await scheduler.postTask(() => scheduler.postTask(() => {}, { label: 'in' }), {
        label: 'tick',
      });
      await scheduler.postTask(() => {}, { label: 'render' });
      request.end();
    });
    const [inner, render, request] = spans();
    assert.deepEqual([inner.name, render.name, request.name], ['in', 'render', 'request']);
    for (const span of [inner, render]) assert.equal(parentOf(span), idOf(request));
    assert.deepEqual(seen, [['tick', true], ['in', true], ['render', true]]);
  });

  it('begins a new trace after a hundred tasks that posted each other, linked to it', async () => {
    const { provider, spans, tracer } = tracers();
    instrument({ meterProvider: null, tracerProvider: provider });
    await new Promise((resolve) => {
      let left = 250;
      const step = () => {
        if (--left === 0) resolve();
        else scheduler.postTask(step, { label: 'poll' });
      };
      tracer.startActiveSpan('start', (start) => {
        scheduler.postTask(step, { label: 'poll' });
        start.end();
      });
    });
    await nextTurn();
    const [start, ...polls] = spans();
    assert.equal(polls.length, 250);
    polls.forEach((poll, index) => {
      const before = polls[index - 1] ?? start;
      const isFirst = index > 0 && index % 100 === 0;
      assert.equal(parentOf(poll), isFirst ? undefined : idOf(before));
      const links = poll.links.map((each) => each.context.spanId);
      assert.deepEqual(links, isFirst ? [idOf(before)] : []);
    });
  });

  it('records what it measures with the span of the task active', async () => {
    const { provider: tracerProvider, spans } = tracers();
    const seen = [];
    const meterProvider = providerOf((kind, name) => ({
      record: (value, attributes, within) => seen.push([name, idOf(trace.getSpan(within))]),
    }));
    instrument({ meterProvider, tracerProvider });
    await scheduler.postTask(() => {});
    await nextTurn();
    const id = idOf(spans()[0]);
    assert.deepEqual(seen, [['uv_scheduler.task.duration', id], ['uv_scheduler.task.wait', id]]);
  });

  it("goes with reports, which make spans behind the end of the request's", async () => {
    const { provider: tracerProvider, tracer, spans } = tracers();
    instrument({ meterProvider: null, tracerProvider });
    const test = createTestScheduler();
    const { stop } = reportSlowTasks(() => tracer.startSpan('blocked').end(), { duration: 50 });
    const task = tracer.startActiveSpan('request', (request) => {
      request.end();
      return scheduler.postTask(() => test.spend(60));
    });
    await test.flush();
    await task;
    stop();
    test.stop();
    const [request, blocked] = ['request', 'blocked'].map((each) =>
      spans().find(({ name }) => name === each));
    assert.equal(parentOf(blocked), idOf(request));
  });

  // A request ends its span when its response has finished, a few ticks behind its code.
  const WORK = {
    'of a task': [(block) => scheduler.postTask(block), {}],
    'of a task, with its stacks': [(block) => scheduler.postTask(block), { stacks: true }],
    'behind a yield, with its stacks': [(block) => scheduler.yield().then(block), { stacks: true }],
    'behind an await, with its stacks': [(block) => sleep(1).then(block), { stacks: true }],
  };
  for (const [title, [work, options]] of Object.entries(WORK)) {
    it(`lets a report add to the span of the request that was blocked: ${title}`, async () => {
      const { tracer } = tracers();
      let events = [];
      const onReport = ({ functions }) => {
        trace.getActiveSpan()?.addEvent('blocked', { by: functions?.[0]?.functionName ?? '' });
      };
      const { stop } = reportSlowTasks(onReport, { duration: 40, ...options });
      stops.push(stop);
      const request = async (span) => {
        await work(() => busy(100));
        process.nextTick(() => span.end());
        ({ events } = span);
      };
      // A machine that stands still has no stacks.
      do {
        await tracer.startActiveSpan('request', request);
        await nextTurn();
      } while (options.stacks && !events[0]?.attributes.by);
      assert.equal(events.length, 1);
    }).timeout(LIMIT);
  }

  it('adds an event to the active span when the report tells of a block', () => {
    const { provider: tracerProvider, tracer } = tracers();
    const message = {
      duration: 250, kind: 'code', place: 'busy (page.js:1)', route: 'GET /', stack: '    at busy',
    };
    const { stop } = instrument({ meterProvider: null, tracerProvider });
    tracer.startActiveSpan('request', ({ events }) => {
      channel('uv-scheduler:blocked').publish(message);
      stop();
      channel('uv-scheduler:blocked').publish(message);
      const found = events.map(({ name, attributes }) => [name, attributes]);
      assert.deepEqual(found, [['uv_scheduler.blocked', {
        'uv_scheduler.duration': 0.25, 'uv_scheduler.place': 'busy (page.js:1)',
        'uv_scheduler.route': 'GET /', 'uv_scheduler.kind': 'code',
        'code.stacktrace': '    at busy',
      }]]);
    });
  });

  it('uses the global providers by default', async () => {
    const { provider: meterProvider, read } = meters();
    const { provider: tracerProvider, spans } = tracers();
    // Without providers, nothing is measured.
    instrument().stop();
    metrics.setGlobalMeterProvider(meterProvider);
    trace.setGlobalTracerProvider(tracerProvider);
    instrument();
    await scheduler.postTask(() => {}, { label: 'a' });
    await nextTurn();
    assert.deepEqual(spans().map(({ name }) => name), ['a']);
    const { 'uv_scheduler.task.wait': wait } = await read();
    assert.equal(pointOf(wait, 'user-visible').count, 1);
  });

  it('lets tasks run whatever a filter or a provider throws, and logs that', async () => {
    const logged = [];
    diag.setLogger({ error: (text) => logged.push(text) });
    const fail = () => { throw new Error('broken'); };
    const { provider: tracerProvider, spans } = tracers();
    instrument({ meterProvider: null, tracerProvider, filter: fail });
    instrument({
      meterProvider: providerOf(() => ({ record: fail })),
      tracerProvider: { getTracer: () => ({ startSpan: fail }) },
    });
    assert.equal(await scheduler.postTask(() => 7, { label: 'a' }), 7);
    await nextTurn();
    assert.deepEqual(spans().map(({ name }) => name), ['a']);
    assert.deepEqual(logged, Array(3).fill('uv-scheduler: broken'));
  });

  it('refuses a provider that gets the tasks already', () => {
    const { provider: meterProvider } = meters();
    const { provider: tracerProvider } = tracers();
    const first = instrument({ meterProvider, tracerProvider });
    for (const [name, options] of [
      ['meterProvider', { meterProvider, tracerProvider: null }],
      ['tracerProvider', { meterProvider: null, tracerProvider }],
    ]) {
      assert.throws(() => instrumentTasks(options), {
        name: 'Error',
        code: 'ERR_INVALID_STATE',
        message: `Failed to execute 'instrumentTasks': the member ${name} already gets the tasks ` +
          "of this thread. Call stop() of the earlier call's result, or use another provider.",
      });
    }
    first.stop();
    instrument({ meterProvider, tracerProvider });
  });
});
