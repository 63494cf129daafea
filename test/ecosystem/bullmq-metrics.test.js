'use strict';

// The metrics of IdleWorkers in Prometheus and OpenTelemetry, through prom-client and an SDK, with
// each version of BullMQ and a real Redis.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const {
  AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader,
} = require('@opentelemetry/sdk-metrics');
const { Registry } = require('prom-client');
const { instrumentTasks } = require('uv-scheduler/opentelemetry');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { describeEach, sleep, until } = require('./bullmq');

// Milliseconds, short for tests.
const PATIENCE = 400;

const REASONS = { busy: 0, 'no-turn': 0, closing: 0, draining: 0 };

describeEach('the exporters show of an IdleWorker', (context) => {
  let register;
  let meterProvider;
  let exporter;
  let collections;

  beforeEach(() => {
    register = new Registry();
    exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter });
    meterProvider = new MeterProvider({ readers: [reader] });
    collections = [
      collectTaskMetrics({ register }),
      instrumentTasks({ meterProvider, tracerProvider: null }),
    ];
  });

  afterEach(async () => {
    for (const collection of collections) collection.stop();
    await meterProvider.shutdown();
  });

  // The figures of the test's queue in a register of prom-client.
  async function inPrometheus() {
    const prefix = 'uv_scheduler_jobs_';
    const found = { givenBack: {} };
    for (const { name, values } of await register.getMetricsAsJSON()) {
      const own = values.filter(({ labels }) => labels.queue === context.fleet.queue.name);
      for (const { labels, value } of own) {
        if (name === `${prefix}given_back_total`) found.givenBack[labels.reason] = value;
        if (name === `${prefix}discarded_seconds_total`) found.discarded = value;
        if (name === `${prefix}idle_wait_seconds_total`) found.waiting = value;
      }
    }
    return found;
  }

  // The same in OpenTelemetry.
  async function inOpenTelemetry() {
    await meterProvider.forceFlush();
    const found = { givenBack: {} };
    for (const { descriptor, dataPoints } of exporter.getMetrics().at(-1).scopeMetrics[0].metrics) {
      const own = dataPoints.filter(({ attributes }) => {
        return attributes['uv_scheduler.queue'] === context.fleet.queue.name;
      });
      for (const { attributes, value } of own) {
        const { name } = descriptor;
        const reason = attributes['uv_scheduler.reason'];
        if (name === 'uv_scheduler.jobs.given_back') found.givenBack[reason] = value;
        if (name === 'uv_scheduler.jobs.discarded') found.discarded = value;
        if (name === 'uv_scheduler.jobs.idle_wait') found.waiting = value;
      }
    }
    return found;
  }

  it('what was given back, the work that was lost with it, and the waiting', async () => {
    const { fleet, user } = context;
    const { scheduler } = user;
    let hasRun = false;
    const started = performance.now();
    const worker = fleet.worker(async () => {
      if (hasRun) return;
      hasRun = true;
      await sleep(200);
      fleet.makeBusy();
      await scheduler.yield();
    }, { patience: PATIENCE });
    const given = once(worker, 'givenBack');
    const job = await fleet.queue.add('job', {});
    await given;
    fleet.makeCalm();
    await fleet.untilState('completed', job);
    // The worker waits for the next job in Redis, no longer for the loop.
    let counts;
    await until(async () => {
      const before = worker.idleCounts.waitTime;
      await sleep(50);
      counts = worker.idleCounts;
      return counts.waitTime === before;
    }, 'the worker waits for a job');
    const time = performance.now() - started;
    assert.deepEqual(counts.givenBack, { ...REASONS, 'no-turn': 1 });
    const { discardedTime, waitTime } = counts;
    assert(discardedTime >= 190 && discardedTime < time, `${discardedTime} ms`);
    assert(waitTime >= PATIENCE - 10 && waitTime < time, `${waitTime} ms`);
    for (const shown of [await inPrometheus(), await inOpenTelemetry()]) {
      assert.deepEqual(shown.givenBack, counts.givenBack);
      assert.equal(shown.discarded, discardedTime / 1000);
      assert(shown.waiting >= waitTime / 1000);
    }
  });

  it('the sum of the workers of a queue, also when they are closed', async () => {
    const { fleet } = context;
    for (let i = 0; i < 2; i++) {
      const worker = await fleet.waitingWorker(() => {});
      fleet.makeBusy();
      const given = once(worker, 'givenBack');
      const job = await fleet.queue.add('job', {});
      await given;
      await worker.close();
      fleet.makeCalm();
      await fleet.queue.remove(job.id);
    }
    const { givenBack } = await inPrometheus();
    assert(givenBack.busy >= 2, `${givenBack.busy}`);
    assert.deepEqual((await inOpenTelemetry()).givenBack, givenBack);
  });

  it('the waiting while it lasts', async () => {
    const { fleet } = context;
    fleet.makeBusy();
    const worker = fleet.worker(() => {});
    await worker.waitUntilReady();
    await until(async () => (await inPrometheus()).waiting > 0.2, 'it has waited');
    assert((await inOpenTelemetry()).waiting > 0.2);
  });
});
