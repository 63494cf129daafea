'use strict';

// `uv-scheduler/prometheus`: registers of prom-client, and their other settings. metrics.test.js
// tests the values of the metrics.

const assert = require('node:assert/strict');
const parse = require('parse-prometheus-text-format');
const client = require('prom-client');
const { scheduler } = require('../../..');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { METRICS, scrape, valueOf } = require('../../helpers/exporters.js');

const TYPES = Object.fromEntries(METRICS.map(([, name, kind]) =>
  [`uv_scheduler_${name}`, (kind === 'sum' ? 'gauge' : kind).toUpperCase()]));
const NAMES = Object.keys(TYPES);
const COMPLETED = { priority: 'user-visible', outcome: 'completed' };

const familiesOf = async (register) => parse(await register.metrics());
const namesIn = async (register) => (await familiesOf(register)).map(({ name }) => name);

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
  const completed = async (from = register) =>
    valueOf((await scrape(from)).uv_scheduler_tasks_total, COMPLETED);

  it('registers each metric with its type, and keeps its figures when they are reset', async () => {
    collect();
    const families = await familiesOf(register);
    assert.deepEqual(Object.fromEntries(families.map(({ name, type }) => [name, type])), TYPES);
    assert.deepEqual(families.filter(({ help }) => !help), []);
    await scheduler.postTask(() => {});
    register.resetMetrics();
    assert.equal(await completed(), 1);
  });

  it('adds a prefix to the names, and labels to those of the register', async () => {
    register.setDefaultLabels({ app: 'shop' });
    collect({ prefix: 'shop_', labels: { team: 'search', shard: 7 } });
    assert.deepEqual(await namesIn(register), NAMES.map((name) => `shop_${name}`));
    for (const [labels] of Object.values(await scrape(register)).flat()) {
      assert.deepEqual([labels.team, labels.shard, labels.app], ['search', '7', 'shop']);
    }
  });

  it('uses the global register of prom-client by default', async () => {
    collection = collectTaskMetrics();
    assert.deepEqual(await namesIn(client.register), NAMES);
  });

  it('is shown as OpenMetrics if the register says so', async () => {
    register.setContentType(client.Registry.OPENMETRICS_CONTENT_TYPE);
    collect();
    const text = await register.metrics();
    assert.match(text, /^# TYPE uv_scheduler_tasks counter$/m);
    assert.match(text, /^uv_scheduler_tasks_total\{priority="background",outcome="failed"\} 0$/m);
    assert.match(text, /^uv_scheduler_task_wait_seconds_count\{priority="background"\} 0$/m);
  });

  it('adds up in a register of several processes', async () => {
    collect();
    const json = await register.getMetricsAsJSON();
    await scheduler.postTask(() => {});
    const all = [json, await register.getMetricsAsJSON()];
    const aggregated = client.AggregatorRegistry.aggregate(all);
    assert.deepEqual(await namesIn(aggregated), NAMES);
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
    // A stopped collector leaves the metrics of others alone, also where the register was cleared.
    const { stop: stopSecond } = collect();
    assert.equal(stop(), undefined);
    assert.equal(register.getMetricsAsArray().length, 1 + NAMES.length);
    register.clear();
    collect();
    stopSecond();
    assert.equal(register.getMetricsAsArray().length, NAMES.length);
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
});
