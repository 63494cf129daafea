'use strict';

// The metrics of admissions in the exporters.

const assert = require('node:assert/strict');
const http = require('node:http');
const {
  AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader,
} = require('@opentelemetry/sdk-metrics');
const { Registry } = require('prom-client');
const { createAdmission } = require('uv-scheduler/http');
const { instrumentTasks } = require('uv-scheduler/opentelemetry');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { ask, classify, closeAll, listen, occupy, until } = require('../../helpers/admission.js');

afterEach(closeAll);

describe('collectTaskMetrics()', () => {
  it('shows the requests of all admissions', async () => {
    const register = new Registry();
    const { stop } = collectTaskMetrics({ register });
    const read = async (wanted = 'admitted') => {
      const { values } = await register.getSingleMetric('uv_scheduler_requests_total').get();
      const isWanted = ({ labels: { priority, outcome } }) =>
        priority === 'background' && outcome === wanted;
      return values.find(isWanted)?.value ?? 0;
    };
    const before = await read();
    for (let i = 0; i < 2; i++) {
      const { handler } = createAdmission({ classify });
      const port = await listen(http.createServer(handler((_, response) => response.end())));
      await ask(port, '/background');
    }
    assert.equal(await read(), before + 2);
    const { handler, counts } = createAdmission({ classify });
    const port = await listen(http.createServer(handler(() => {})));
    const outcomes = async () => [await read('left'), await read('withdrawn')];
    const [left, withdrawn] = await outcomes();
    const release = occupy();
    const client = http.get({ port, host: '127.0.0.1', path: '/background' }).on('error', () => {});
    await until(() => counts().background.queued === 1);
    client.destroy();
    await until(() => counts().background.queued === 0);
    await release();
    assert.deepEqual(await outcomes(), [left + 1, withdrawn]);
    assert.match(await register.metrics(), /request_wait_seconds_count{.*background.*} \d/);
    stop();
  });
});

describe('instrumentTasks()', () => {
  it('shows the requests of an admission, and how long they waited', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter });
    const meterProvider = new MeterProvider({ readers: [reader] });
    const { stop } = instrumentTasks({ meterProvider });
    try {
      const { handler } = createAdmission({ classify });
      const port = await listen(http.createServer(handler((_, response) => response.end())));
      for (let i = 0; i < 2; i++) await ask(port, '/background');
      await reader.forceFlush();
      const [{ scopeMetrics: [{ metrics }] }] = exporter.getMetrics();
      const valueOf = (name, more = {}) => {
        const wanted = { 'uv_scheduler.priority': 'background', ...more };
        const { dataPoints } = metrics.find(({ descriptor }) => descriptor.name === name);
        return dataPoints.find(({ attributes }) => {
          return Object.entries(wanted).every(([key, value]) => attributes[key] === value);
        }).value;
      };
      const admitted = { 'uv_scheduler.outcome': 'admitted' };
      assert.ok(valueOf('uv_scheduler.requests', admitted) >= 2);
      assert.equal(valueOf('uv_scheduler.requests.queued'), 0);
      assert.equal(valueOf('uv_scheduler.request.wait').count, 2);
      stop();
      await ask(port, '/background');
      await reader.forceFlush();
      const last = JSON.stringify(exporter.getMetrics().at(-1));
      assert.doesNotMatch(last, /uv_scheduler.request.wait.*"count":3/);
    } finally {
      stop();
      await meterProvider.shutdown();
    }
  });
});
