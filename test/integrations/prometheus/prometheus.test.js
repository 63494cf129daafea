'use strict';

// `uv-scheduler/prometheus`: registers of prom-client, and their other settings. metrics.test.js
// tests the values of the metrics.

const assert = require('node:assert/strict');
const parse = require('parse-prometheus-text-format');
const client = require('prom-client');
const { scheduler } = require('../../..');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { METRICS, scrape, valueOf } = require('../../helpers/exporters.js');

const TYPES = Object.fromEntries(METRICS.map(([, name, kind]) => {
  return [`uv_scheduler_${name}`, (kind === 'sum' ? 'gauge' : kind).toUpperCase()];
}));
const COMPLETED = { priority: 'user-visible', outcome: 'completed' };

// The type and the text about each metric of a register.
async function describeAll(register) {
  return parse(await register.metrics()).map(({ name, type, help }) => ({ name, type, help }));
}

describe('collectTaskMetrics()', () => {
  let register;
  let collection;

  beforeEach(() => {
    register = new client.Registry();
    collection = undefined;
  });

  afterEach(() => {
    collection?.stop();
    client.register.clear();
  });

  const collect = (options) => (collection = collectTaskMetrics({ register, ...options }));
  const completed = async (from = register) => {
    return valueOf((await scrape(from)).uv_scheduler_tasks_total, COMPLETED);
  };

  it('registers each metric with its type', async () => {
    collect();
    const families = await describeAll(register);
    const types = Object.fromEntries(families.map(({ name, type }) => [name, type]));
    assert.deepEqual(types, TYPES);
    assert.deepEqual(families.filter(({ help }) => !help), []);
  });

  it('keeps its figures when the metrics of the register are reset', async () => {
    collect();
    await scheduler.postTask(() => {});
    register.resetMetrics();
    assert.equal(await completed(), 1);
  });

  it('adds a prefix to the names and labels to all values', async () => {
    collect({ prefix: 'shop_', labels: { team: 'search', shard: 7 } });
    const names = (await describeAll(register)).map(({ name }) => name);
    assert.deepEqual(names, Object.keys(TYPES).map((name) => `shop_${name}`));
    const families = Object.values(await scrape(register));
    for (const [labels] of families.flat()) {
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
    const [[labels]] = (await scrape(register)).uv_scheduler_tasks_queued;
    assert.deepEqual(labels, { priority: 'user-blocking', app: 'shop' });
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
    assert.equal(await completed(aggregated), 1);
  });

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
});
