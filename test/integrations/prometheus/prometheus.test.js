'use strict';

// `uv-scheduler/prometheus`: what a scrape of a register of prom-client says about tasks, read by a
// parser of Prometheus' text format.

const assert = require('node:assert/strict');
const { Worker } = require('node:worker_threads');
const parse = require('parse-prometheus-text-format');
const client = require('prom-client');
const { TaskController, monitorTasks, scheduler } = require('../../..');
const { neverFalling } = require('../../../lib/watch/never-falling.js');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { LIMIT, ROOT, assertOnEachNode, run } = require('../../helpers/loop.js');
const { PRIORITIES, busy } = require('../../helpers/tasks.js');
const { FakeHold } = require('../../helpers/watch.js');

const TYPES = {
  uv_scheduler_task_wait_seconds: 'HISTOGRAM',
  uv_scheduler_task_duration_seconds: 'HISTOGRAM',
  uv_scheduler_tasks_total: 'COUNTER',
  uv_scheduler_tasks_queued: 'GAUGE',
  uv_scheduler_tasks_oldest_seconds: 'GAUGE',
  uv_scheduler_time_seconds_total: 'COUNTER',
  uv_scheduler_held_seconds_total: 'COUNTER',
  uv_scheduler_requests_total: 'COUNTER',
  uv_scheduler_requests_queued: 'GAUGE',
  uv_scheduler_requests_running: 'GAUGE',
  uv_scheduler_requests_raised_total: 'COUNTER',
  uv_scheduler_request_wait_seconds: 'HISTOGRAM',
  uv_scheduler_jobs_given_back_total: 'COUNTER',
  uv_scheduler_jobs_discarded_seconds_total: 'COUNTER',
  uv_scheduler_jobs_idle_wait_seconds_total: 'COUNTER',
};
const STATES = [...PRIORITIES, 'other', 'idle'];

// The metrics of each name.
function byName(families) {
  const all = {};
  for (const { name, metrics } of families) {
    all[name] ??= { metrics: [] };
    all[name].metrics.push(...metrics);
  }
  return all;
}

// The parser takes the samples of a histogram with several labels together, so it gets them without
// their type. Each part of a histogram then is a family.
const withoutTypes = (text) => text.replace(/^# TYPE \S+ histogram\n/gm, '');

// The families of a register, by name.
async function scrape(register) {
  return byName(parse(withoutTypes(await register.metrics())));
}

// The type and the text about each metric of a register.
async function describeAll(register) {
  return parse(await register.metrics()).map(({ name, type, help }) => ({ name, type, help }));
}

// The metric of a family that has these labels.
function metricOf(family, labels) {
  const found = family.metrics.filter((metric) => {
    return Object.entries(labels).every(([name, value]) => metric.labels[name] === value);
  });
  assert.equal(found.length, 1, JSON.stringify(labels));
  return found[0];
}

describe('collectTaskMetrics()', () => {
  let register;
  let collection;
  let monitor;

  beforeEach(() => {
    register = new client.Registry();
    collection = undefined;
    monitor = undefined;
  });

  afterEach(() => {
    collection?.stop();
    monitor?.disable();
    client.register.clear();
  });

  const collect = (options) => (collection = collectTaskMetrics({ register, ...options }));
  const valueOf = async (name, labels) => metricOf((await scrape(register))[name], labels).value;

  it('registers each metric with its type', async () => {
    collect();
    const families = await describeAll(register);
    const types = Object.fromEntries(families.map(({ name, type }) => [name, type]));
    assert.deepEqual(types, TYPES);
    assert.deepEqual(families.filter(({ help }) => !help), []);
  });

  it('counts tasks by priority and outcome', async () => {
    collect();
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const failed = scheduler.postTask(() => assert.fail(), { priority: 'user-blocking' });
    const aborted = [1, 2].map(() => scheduler.postTask(() => {}, { signal }));
    controller.abort();
    await Promise.allSettled([failed, ...aborted]);
    for (let i = 0; i < 3; i++) await scheduler.postTask(() => scheduler.yield());
    const { uv_scheduler_tasks_total: { metrics } } = await scrape(register);
    const counted = metrics.filter(({ value }) => value !== '0');
    assert.deepEqual(counted, [
      { labels: { priority: 'user-blocking', outcome: 'failed' }, value: '1' },
      { labels: { priority: 'user-visible', outcome: 'completed' }, value: '6' },
      { labels: { priority: 'background', outcome: 'aborted' }, value: '2' },
    ]);
    assert.equal(metrics.length, 9);
  });

  it('counts what is queued, and says how long the oldest has waited', async () => {
    collect();
    const tasks = [1, 2, 3].map(() => scheduler.postTask(() => {}, { priority: 'background' }));
    const labels = { priority: 'background' };
    assert.equal(await valueOf('uv_scheduler_tasks_queued', labels), '3');
    busy(20);
    const oldest = await valueOf('uv_scheduler_tasks_oldest_seconds', labels);
    assert.ok(oldest >= 0.02, oldest);
    await Promise.all(tasks);
    assert.equal(await valueOf('uv_scheduler_tasks_queued', labels), '0');
    assert.equal(await valueOf('uv_scheduler_tasks_oldest_seconds', labels), '0');
  });

  it('has histograms of waits and durations that are those of a monitor', async () => {
    collect();
    monitor = monitorTasks();
    monitor.enable();
    await scheduler.postTask(() => busy(30));
    await scheduler.postTask(() => {}, { priority: 'background' });
    // The step of the code after the last `await` ends.
    await new Promise(setImmediate);
    const { priorities } = monitor;
    const families = await scrape(register);
    for (const priority of PRIORITIES) {
      for (const name of ['wait', 'duration']) {
        const family = (part) => families[`uv_scheduler_task_${name}_seconds_${part}`];
        const { count, sum, buckets } = priorities[priority][name];
        assert.equal(metricOf(family('count'), { priority }).value, `${count}`);
        assert.equal(metricOf(family('sum'), { priority }).value, `${sum / 1000}`);
        const found = family('bucket').metrics.filter(({ labels }) => labels.priority === priority);
        assert.deepEqual(
          found.map(({ labels: { le }, value }) => [le, value]),
          buckets.map(({ le, count: number }) => {
            return [le === Infinity ? '+Inf' : `${le / 1000}`, `${number}`];
          }),
        );
      }
    }
    assert.equal(priorities['user-visible'].duration.count, 1);
    assert.ok(priorities['user-visible'].duration.sum >= 30);
  });

  it('says where the time went', async () => {
    collect();
    await scheduler.postTask(() => busy(20), { priority: 'background' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { metrics } = (await scrape(register)).uv_scheduler_time_seconds_total;
    assert.deepEqual(metrics.map(({ labels: { state } }) => state), STATES);
    const times = Object.fromEntries(metrics.map(({ labels, value }) => [labels.state, +value]));
    assert.ok(times.background >= 0.02, JSON.stringify(times));
    assert.ok(times.idle > 0, JSON.stringify(times));
    assert.equal(times['user-blocking'], 0);
  });

  it('says for how long background tasks were held, and why', async () => {
    const hold = new FakeHold();
    try {
      hold.container = 5000;
      collect();
      Object.assign(hold, { container: 7500, machine: 250 });
      const { metrics } = (await scrape(register)).uv_scheduler_held_seconds_total;
      assert.deepEqual(metrics, [
        { labels: { reason: 'container' }, value: '2.5' },
        { labels: { reason: 'machine' }, value: '0.25' },
      ]);
    } finally {
      hold.end();
    }
  });

  it('never lets a counter of time fall', () => {
    const times = neverFalling();
    assert.deepEqual(times({ other: 2, idle: 1 }), { other: 2, idle: 1 });
    assert.deepEqual(times({ other: 1.5, idle: 3 }), { other: 2, idle: 3 });
    assert.deepEqual(times({ other: 2.5, idle: 3 }), { other: 2.5, idle: 3 });
  });

  it('starts from 0 for each call, and reads nothing from the labels of tasks', async () => {
    await scheduler.postTask(() => {}, { label: 'before' });
    collect();
    await scheduler.postTask(() => {}, { label: 'a secret' });
    const labels = { priority: 'user-visible', outcome: 'completed' };
    assert.equal(await valueOf('uv_scheduler_tasks_total', labels), '1');
    assert.doesNotMatch(await register.metrics(), /secret/);
  });

  it('shows as many labels of tasks as it is told, those with most time', async () => {
    // Longer than a machine stands still during another task.
    const LONG = 120;
    collect({ maxTaskLabels: 2 });
    for (const label of ['index', 'render', 'index']) {
      await scheduler.postTask(() => busy(LONG), { label, priority: 'background' });
    }
    await scheduler.postTask(() => {}, { label: 'short' });
    await new Promise(setImmediate);
    const families = await scrape(register);
    const counts = families.uv_scheduler_label_tasks_total.metrics;
    assert.deepEqual(counts, [
      { labels: { label: 'index', priority: 'background' }, value: '2' },
      { labels: { label: 'render', priority: 'background' }, value: '1' },
    ]);
    const time = metricOf(families.uv_scheduler_label_time_seconds_total, { label: 'index' });
    assert.ok(time.value >= 2 * LONG / 1000, time.value);
  });

  it('keeps its figures when the metrics of the register are reset', async () => {
    collect();
    await scheduler.postTask(() => {});
    register.resetMetrics();
    const labels = { priority: 'user-visible', outcome: 'completed' };
    assert.equal(await valueOf('uv_scheduler_tasks_total', labels), '1');
  });

  it('adds a prefix to the names and labels to all values', async () => {
    collect({ prefix: 'shop_', labels: { team: 'search', shard: 7 } });
    const names = (await describeAll(register)).map(({ name }) => name);
    assert.deepEqual(names, Object.keys(TYPES).map((name) => `shop_${name}`));
    const families = Object.values(await scrape(register));
    for (const { labels } of families.flatMap(({ metrics }) => metrics)) {
      assert.deepEqual([labels.team, labels.shard], ['search', '7']);
    }
  });

  it('uses the global register of prom-client by default', async () => {
    collection = collectTaskMetrics();
    const names = (await describeAll(client.register)).map(({ name }) => name);
    assert.deepEqual(names, Object.keys(TYPES));
  });

  it('goes with the default labels of a register', async () => {
    register.setDefaultLabels({ app: 'shop' });
    collect();
    const [metric] = (await scrape(register)).uv_scheduler_tasks_queued.metrics;
    assert.deepEqual(metric.labels, { priority: 'user-blocking', app: 'shop' });
  });

  it('is shown as OpenMetrics if the register says so', async () => {
    register.setContentType(client.Registry.OPENMETRICS_CONTENT_TYPE);
    collect();
    const text = await register.metrics();
    assert.match(text, /^# TYPE uv_scheduler_tasks counter$/m);
    assert.match(text, /^uv_scheduler_tasks_total\{priority="background",outcome="failed"\} 0$/m);
    assert.match(text, /^uv_scheduler_task_wait_seconds_count\{priority="background"\} 0$/m);
    collection.stop();
    assert.deepEqual(register.getMetricsAsArray(), []);
  });

  it('adds up in a register of several processes', async () => {
    collect();
    const json = await register.getMetricsAsJSON();
    await scheduler.postTask(() => {});
    const all = [json, await register.getMetricsAsJSON()];
    const aggregated = client.AggregatorRegistry.aggregate(all);
    const names = (await describeAll(aggregated)).map(({ name }) => name);
    assert.deepEqual(names, Object.keys(TYPES));
    const { uv_scheduler_tasks_total: total } = await scrape(aggregated);
    const labels = { priority: 'user-visible', outcome: 'completed' };
    assert.equal(metricOf(total, labels).value, '1');
  });

  it('labels the metrics of a worker with its thread_id', async () => {
    const code = `
      const { parentPort, threadId } = require('node:worker_threads');
      const { Registry } = require('prom-client');
      const { scheduler } = require(${JSON.stringify(ROOT)});
      const { collectTaskMetrics } = require('uv-scheduler/prometheus');
      const register = new Registry();
      collectTaskMetrics({ register });
      scheduler.postTask(() => {}).then(async () => {
        parentPort.postMessage({ threadId, text: await register.metrics() });
      });`;
    collect();
    const worker = new Worker(code, { eval: true });
    const { threadId, text } = await new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
    const families = parse(withoutTypes(text));
    for (const { labels } of families.flatMap(({ metrics }) => metrics)) {
      assert.equal(labels.thread_id, `${threadId}`);
    }
    const { uv_scheduler_tasks_total: total } = byName(families);
    const labels = { priority: 'user-visible', outcome: 'completed' };
    assert.equal(metricOf(total, labels).value, '1');
    // The metrics of this thread have no such label, and count the thread's own tasks.
    const own = metricOf((await scrape(register)).uv_scheduler_tasks_total, labels);
    assert.deepEqual(own, { labels, value: '0' });
  }).timeout(LIMIT);

  it('stops: removes its metrics, measures no longer, and can be called again', async () => {
    const other = new client.Counter({ name: 'other', help: 'of others', registers: [register] });
    const { stop } = collect();
    const metric = register.getSingleMetric('uv_scheduler_tasks_total');
    stop();
    assert.deepEqual(register.getMetricsAsArray(), [other]);
    const { values } = await metric.get();
    await scheduler.postTask(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual((await metric.get()).values, values);
    assert.equal(stop(), undefined);
    collect();
    // A stopped collector leaves the metrics of others alone.
    stop();
    assert.equal(register.getMetricsAsArray().length, 1 + Object.keys(TYPES).length);
  });

  it('can be called again when the register was cleared', () => {
    const { stop } = collect();
    register.clear();
    collect();
    stop();
    assert.equal(register.getMetricsAsArray().length, Object.keys(TYPES).length);
  });

  it('refuses a register that has such metrics, and registers nothing', () => {
    collect();
    assert.throws(() => collectTaskMetrics({ register }), {
      name: 'Error',
      code: 'ERR_INVALID_STATE',
      message: "Failed to execute 'collectTaskMetrics': the register already has a metric " +
        "named uv_scheduler_task_wait_seconds. Call stop() of an earlier call's result, or use " +
        'another register or prefix.',
    });
    // Another prefix is another set.
    collectTaskMetrics({ register, prefix: 'b_' }).stop();
    collection.stop();
    const name = 'uv_scheduler_time_seconds_total';
    const mine = new client.Counter({ name, help: 'mine', registers: [register] });
    assert.throws(() => collectTaskMetrics({ register }), { code: 'ERR_INVALID_STATE' });
    assert.deepEqual(register.getMetricsAsArray(), [mine]);
  });

  for (const [options, code, message] of [
    [7, 'ERR_INVALID_ARG_TYPE', /the argument options must be an object, .*received 7/],
    [{ registry: 1 }, 'ERR_INVALID_ARG_VALUE', /option 'registry' \(did you mean 'register'/],
    [{ register: {} }, 'ERR_INVALID_ARG_TYPE', /register must be a Registry of prom-client/],
    [{ register: null }, 'ERR_INVALID_ARG_TYPE', /register must be .*received null/],
    [{ prefix: '7 ' }, 'ERR_INVALID_ARG_VALUE', /prefix must be .*received the string "7 "/],
    [{ prefix: Symbol('a') }, 'ERR_INVALID_ARG_TYPE', /prefix must be a string.*Symbol\(a\)/],
    [{ labels: 'a' }, 'ERR_INVALID_ARG_TYPE', /labels must be an object.*the string "a"/],
    [{ maxTaskLabels: '2' }, 'ERR_INVALID_ARG_TYPE', /maxTaskLabels must be an integer.*"2"/],
    [{ maxTaskLabels: 101 }, 'ERR_OUT_OF_RANGE', /maxTaskLabels must be .*0 to 100.*received 101/],
    [{ labels: { label: 1 } }, 'ERR_INVALID_ARG_VALUE', /labels must be .*the label "label"/],
    [{ labels: { state: 1 } }, 'ERR_INVALID_ARG_VALUE', /labels must be .*the label "state"/],
    [{ labels: { 'a-b': 1 } }, 'ERR_INVALID_ARG_VALUE', /labels must be .*the label "a-b"/],
    [{ labels: { a: Symbol('a') } }, 'ERR_INVALID_ARG_TYPE', /the label a must be a string/],
  ]) {
    it(`refuses ${message.source}`, () => {
      assert.throws(() => collectTaskMetrics(options), { name: 'TypeError', code, message });
      const start = { message: /^Failed to execute 'collectTaskMetrics': / };
      assert.throws(() => collectTaskMetrics(options), start);
      assert.deepEqual(client.register.getMetricsAsArray(), []);
    });
  }

  it('does the same on every Node, also for a process that ends', async () => {
    const code = `
      import { register } from 'prom-client';
      import { scheduler } from 'uv-scheduler';
      import { collectTaskMetrics } from 'uv-scheduler/prometheus';
      collectTaskMetrics();
      await scheduler.postTask(() => {}, { priority: 'user-blocking' });
      const text = await register.metrics();
      console.log(text.match(/^.*_total\\{.* 1$/gm).join());`;
    const stdout = 'uv_scheduler_tasks_total{priority="user-blocking",outcome="completed"} 1\n';
    await assertOnEachNode({ code: 0, signal: null, stdout, stderr: '' }, (node) => {
      return run(node, ['--input-type=module', '-e', code], { cwd: ROOT });
    });
  }).timeout(LIMIT);
});
