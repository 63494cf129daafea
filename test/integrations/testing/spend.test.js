'use strict';

// Time that code spends under a test scheduler: every part of the package reads it, exactly.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { createServer } = require('node:http');
const { setImmediate: turn } = require('node:timers/promises');
const { Registry } = require('prom-client');
const { monitorTasks, reportSlowTasks, scheduler, shouldYield } = require('uv-scheduler');
const { createAdmission, shutDown } = require('uv-scheduler/http');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { createTestScheduler } = require('uv-scheduler/testing');

describe('time that code spends', () => {
  let test;
  let log;

  beforeEach(() => {
    test = createTestScheduler();
    log = [];
  });

  afterEach(() => test.stop());

  // A task that works in pieces of `ms`, and logs when it has ended.
  const inPieces = (label, count, ms, options) => scheduler.postTask(async () => {
    for (let i = 0; i < count; i++) {
      test.spend(ms);
      if (shouldYield()) await scheduler.yield();
    }
    log.push([label, test.now]);
  }, { label, ...options });

  const spending = (label, ms, options) => scheduler.postTask(() => {
    log.push([label, test.now]);
    test.spend(ms);
  }, { label, ...options });

  it('uses up the time slice', async () => {
    let yields = 0;
    scheduler.postTask(async () => {
      for (let i = 0; i < 40; i++) {
        test.spend(0.5);
        if (!shouldYield()) continue;
        yields++;
        await scheduler.yield();
      }
    });
    await test.flush();
    assert.deepEqual([yields, test.now], [4, 20]);
  });

  it('lets delayed tasks become due, and is not early for them', async () => {
    spending('urgent', 0, { delay: 3, priority: 'user-blocking' });
    inPieces('pieces', 5, 2);
    await test.flush();
    assert.deepEqual(log, [['urgent', 4], ['pieces', 10]]);
  });

  it('moves fake timers between two tasks', async () => {
    test.stop();
    let moved = 0;
    test = createTestScheduler({ advanceTimers: (ms) => {
      moved += ms;
    } });
    spending('first', 7);
    scheduler.postTask(() => log.push(moved), { priority: 'background' });
    await test.flush();
    assert.deepEqual(log, [['first', 0], 7]);
  });

  it('is charged to fairness keys', async () => {
    for (const fairnessKey of ['large', 'small']) {
      for (let i = 0; i < 3; i++) {
        spending(fairnessKey, fairnessKey === 'large' ? 10 : 5, { fairnessKey });
      }
    }
    await test.flush();
    assert.deepEqual(log.map(([label]) => label),
      ['large', 'small', 'small', 'large', 'small', 'large']);
  });

  it('is what monitors, reports and exporters see', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    const register = new Registry();
    const metrics = collectTaskMetrics({ register });
    const reports = [];
    const reporting = reportSlowTasks((report) => reports.push(report), { duration: 50, wait: 50 });
    const before = monitor.utilization();
    spending('slow', 60);
    spending('late', 15, { priority: 'background' });
    await test.flush();
    await test.advance(25);
    const { background, 'user-visible': visible, idle, other } = monitor.utilization(before);
    assert.deepEqual([visible, background, idle, other], [0.6, 0.15, 0.25, 0]);
    assert.equal(monitor.priorities.background.wait.max, 60);
    assert.deepEqual(reports.map(({ type, label, duration, waitedFor }) => {
      return [type, label, duration, waitedFor?.map((each) => [each.label, each.share])];
    }), [['duration', 'slow', 60, undefined], ['wait', 'late', undefined, [['slow', 1]]]]);
    const text = await register.getSingleMetricAsString('uv_scheduler_task_duration_seconds');
    assert.match(text, /_sum\{priority="user-visible"\} 0\.06\n/);
    for (const each of [metrics, reporting]) each.stop();
    monitor.disable();
  });

  it('is what an admission and shutDown() see, whose timers it moves', async () => {
    const admission = createAdmission({ refuseAfter: { 'user-visible': 100 } });
    const server = createServer(admission.handler((request, response) => {
      test.spend(200);
      response.end();
    }));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${server.address().port}`;
    const answers = Array.from({ length: 8 }, async () => (await fetch(url)).status);
    while (admission.counts()['user-visible'].queued < answers.length) await turn();
    await test.flush();
    const { admitted, refused, wait } = admission.counts()['user-visible'];
    assert.deepEqual((await Promise.all(answers)).sort(), [
      ...Array(admitted).fill(200), ...Array(refused.wait).fill(503),
    ]);
    // The line is overloaded once its oldest request has been late for one more bound.
    assert.deepEqual([admitted, refused.wait, wait.max], [2, 6, 200]);

    let isDown = false;
    const down = shutDown(server, { timeout: 60_000 }).then(() => (isDown = true));
    const start = test.now;
    while (!isDown) {
      await test.advance(100);
      await turn();
    }
    await down;
    assert.ok(test.now - start < 60_000);
  });

  it('is an error where it is no time, and after the test', () => {
    for (const time of [-1, NaN, '', undefined]) {
      assert.throws(() => test.spend(time), { name: 'TypeError', message: /'spend'/ });
    }
    test.stop();
    assert.throws(() => test.spend(1), { code: 'ERR_UV_SCHEDULER_TEST' });
  });
});
