'use strict';

// The metrics that both exporters have, as a register of prom-client and the SDK of OpenTelemetry
// show them.

const assert = require('node:assert/strict');
const { channel } = require('node:diagnostics_channel');
const { Worker } = require('node:worker_threads');
const { TaskController, scheduler } = require('../..');
const { neverFalling } = require('../../lib/watch/never-falling.js');
const { leave, serve, useClock } = require('../helpers/admission-clock.js');
const { EXPORTERS, valueOf } = require('../helpers/exporters.js');
const { LIMIT, ROOT } = require('../helpers/loop.js');
const { enabledMonitor, fakeHold, separateTests } = require('../helpers/watch.js');

const blocked = channel('uv-scheduler:blocked');

const nonZero = (points) => points.filter(([, value]) => value > 0);
const rounded = (seconds) => Number(seconds.toFixed(6));

for (const [exporter, begin] of Object.entries(EXPORTERS)) {
  describe(`the metrics for ${exporter}`, () => {
    const stops = [];
    const start = (options) => {
      const exported = begin(options);
      stops.push(exported.stop);
      return exported;
    };

    separateTests();
    afterEach(() => stops.splice(0).forEach((stop) => stop()));
    // The SDK has timers of its own.
    const test = useClock({ areReal: true });

    const spend = (ms, options) => {
      scheduler.postTask(() => test.spend(ms), options);
      return test.flush(options.priority);
    };

    it('count tasks by priority and outcome, from 0 for each call', async () => {
      await spend(0, { label: 'before' });
      const { read } = start();
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      const failed = scheduler.postTask(() => assert.fail(), { priority: 'user-blocking' });
      const aborted = [1, 2].map(() => scheduler.postTask(() => {}, { signal }));
      controller.abort();
      for (let i = 0; i < 3; i++) scheduler.postTask(() => scheduler.yield());
      await Promise.all([Promise.allSettled([failed, ...aborted]), test.flush()]);
      const { tasks } = await read();
      assert.equal(tasks.length, 9);
      assert.deepEqual(nonZero(tasks), [
        [{ priority: 'user-blocking', outcome: 'failed' }, 1],
        [{ priority: 'user-visible', outcome: 'completed' }, 6],
        [{ priority: 'background', outcome: 'aborted' }, 2],
      ]);
    });

    it('have the time of blocks, by at most 100 pairs of a place and a route', async () => {
      const { read } = start();
      const sumOf = (points = []) => points.reduce((sum, [, value]) => sum + value, 0);
      const before = sumOf((await read()).blocked);
      for (let i = 0; i < 120; i++) {
        blocked.publish({ duration: 250, place: 'page', route: `GET /${exporter}/${i}` });
      }
      const { blocked: points } = await read();
      assert.equal(points.length, 101);
      assert.equal(rounded(sumOf(points) - before), 30);
      assert.ok(valueOf(points, { place: 'other', route: 'other' }) >= 5);
    });

    it('count what is queued, and say how long the oldest has waited', async () => {
      const { read } = start();
      for (let i = 0; i < 2; i++) scheduler.postTask(() => {}, { priority: 'background' });
      await spend(20, { priority: 'user-blocking' });
      const { 'tasks.queued': queued, 'tasks.oldest': oldest } = await read();
      const labels = { priority: 'background' };
      assert.deepEqual([nonZero(queued), nonZero(oldest)], [[[labels, 2]], [[labels, 0.02]]]);
      await test.flush();
      const after = await read();
      assert.deepEqual([...nonZero(after['tasks.queued']), ...nonZero(after['tasks.oldest'])], []);
    });

    it('have histograms of waits and durations that are those of a monitor', async () => {
      const { read } = start();
      const monitor = enabledMonitor();
      scheduler.postTask(async () => {
        // Code after an await that waits for nothing belongs to the callback.
        await undefined;
        test.spend(30);
        await scheduler.yield();
      });
      await spend(5, { priority: 'background' });
      const found = await read();
      for (const [name, sums] of Object.entries({ wait: [0, 0.03], duration: [0.03, 0.005] })) {
        for (const [i, priority] of ['user-visible', 'background'].entries()) {
          const times = monitor.priorities[priority][name];
          const value = valueOf(found[`task.${name}`], { priority });
          const { count, sum, bounds, counts } = value;
          assert.deepEqual([count, rounded(sum)], [times.count, sums[i]]);
          assert.deepEqual(bounds, times.buckets.map(({ le }) => le / 1000));
          if (counts === undefined) continue;
          assert.deepEqual(counts, times.buckets.map((each) => each.count));
        }
      }
    });

    it('say where the time went', async () => {
      const { read } = start();
      await spend(20, { priority: 'background' });
      test.spend(5);
      await test.advance(10);
      const { time } = await read();
      assert.deepEqual(time.map(([{ state }, value]) => [state, rounded(value)]), [
        ['user-blocking', 0], ['user-visible', 0], ['background', 0.02], ['other', 0.005],
        ['idle', 0.01],
      ]);
    });

    it('say for how long background tasks were held, and why', async () => {
      const hold = fakeHold();
      hold.container = 5000;
      const { read } = start();
      Object.assign(hold, { container: 7500, machine: 250 });
      const { held } = await read();
      assert.deepEqual(held, [[{ reason: 'container' }, 2.5], [{ reason: 'machine' }, 0.25]]);
    });

    it('show as many labels of tasks as is told, those with most time, and none else', async () => {
      const [some, none] = [start({ maxTaskLabels: 2 }), start()];
      for (const [label, ms] of [['index', 3], ['render', 2], ['index', 3], ['short', 1]]) {
        await spend(ms, { label, priority: 'background' });
      }
      const { 'label.tasks': tasks, 'label.time': time } = await some.read();
      const labels = ['index', 'render'].map((label) => ({ label, priority: 'background' }));
      assert.deepEqual(tasks, [[labels[0], 2], [labels[1], 1]]);
      assert.equal(rounded(valueOf(time, labels[0])), 0.006);
      assert.doesNotMatch(JSON.stringify(await none.read()), /index|render|short/);
    });

    it('have the thread as a label in a worker, as spans do, and count its tasks', async () => {
      const own = start();
      const worker = new Worker(`
        const { parentPort, threadId } = require('node:worker_threads');
        const { setImmediate: turn } = require('node:timers/promises');
        const { scheduler } = require(${JSON.stringify(ROOT)});
        const { EXPORTERS } = require(${JSON.stringify(`${ROOT}/test/helpers/exporters.js`)});
        const { read } = EXPORTERS.${exporter}();
        scheduler.postTask(() => {}).then(async () => {
          await turn();
          await turn();
          parentPort.postMessage({ threadId, found: await read() });
        });`, { eval: true });
      const { threadId, found } = await new Promise((resolve, reject) => {
        worker.once('message', resolve).once('error', reject);
      });
      const threads = Object.values(found).flat().map(([{ thread }]) => thread);
      assert.deepEqual(new Set(threads), new Set([`${threadId}`]));
      if (exporter === 'OpenTelemetry') assert.equal(found.spans.length, 1);
      const labels = { priority: 'user-visible', outcome: 'completed' };
      assert.equal(valueOf(found.tasks, labels), 1);
      const { tasks } = await own.read();
      assert.deepEqual(tasks.find(([each]) => each.outcome === 'completed'
        && each.priority === 'user-visible'), [labels, 0]);
      await worker.terminate();
    }).timeout(LIMIT);

    it('show the requests of all admissions, and how long they waited', async () => {
      const { read, stop } = start();
      // The requests by outcome, and how many of them have waited.
      const exported = async () => {
        const { requests = [], 'request.wait': waits = [] } = await read();
        const outcomes = ['admitted', 'left', 'withdrawn'].map((outcome) =>
          valueOf(requests, { priority: 'background', outcome }) ?? 0);
        return [...outcomes, valueOf(waits, { priority: 'background' })?.count ?? 0];
      };
      const [admitted, left, withdrawn, waited] = await exported();
      const servers = [1, 2].map(() => serve((_, response) => response.end()));
      for (const { ask } of servers) ask('/background');
      await test.flush();
      const [{ ask }] = servers;
      leave(ask('/background'));
      await test.flush();
      assert.deepEqual(await exported(), [admitted + 2, left + 1, withdrawn, waited + 2]);
      assert.deepEqual(nonZero((await read())['requests.queued']), []);
      stop();
      ask('/background');
      await test.flush();
      if (exporter === 'OpenTelemetry') assert.equal((await exported()).at(-1), waited + 2);
    });
  });
}

it('the metrics have no counter of a time that falls', () => {
  const times = neverFalling();
  assert.deepEqual(times({ other: 2, idle: 1 }), { other: 2, idle: 1 });
  assert.deepEqual(times({ other: 1.5, idle: 3 }), { other: 2, idle: 3 });
  assert.deepEqual(times({ other: 2.5, idle: 3 }), { other: 2.5, idle: 3 });
});
