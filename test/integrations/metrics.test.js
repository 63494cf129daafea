'use strict';

// The metrics that both exporters have, as a register of prom-client and the SDK of OpenTelemetry
// show them.

const assert = require('node:assert/strict');
const http = require('node:http');
const { setImmediate: turn } = require('node:timers/promises');
const { Worker } = require('node:worker_threads');
const { TaskController, scheduler } = require('../..');
const { neverFalling } = require('../../lib/watch/never-falling.js');
const { createAdmission } = require('uv-scheduler/http');
const { ask, classify, closeAll, listen, occupy, until } = require('../helpers/admission.js');
const { EXPORTERS, valueOf } = require('../helpers/exporters.js');
const { LIMIT, ROOT } = require('../helpers/loop.js');
const { PRIORITIES, busy } = require('../helpers/tasks.js');
const { enabledMonitor, fakeHold, separateTests } = require('../helpers/watch.js');

const STATES = [...PRIORITIES, 'other', 'idle'];
// In seconds: far more than what two reads of the clock differ by.
const CLOSE = 1e-3;
// In milliseconds: longer than a machine stands still during another task.
const LONG = 120;

// The step of the code after the last `await` ends.
const stepEnds = async () => {
  await turn();
  await turn();
};

const nonZero = (points) => points.filter(([, value]) => value > 0);

for (const [exporter, begin] of Object.entries(EXPORTERS)) {
  describe(`the metrics for ${exporter}`, () => {
    const stops = [];
    const start = (options) => {
      const exported = begin(options);
      stops.push(exported.stop);
      return exported;
    };

    separateTests();
    afterEach(() => {
      for (const stop of stops.splice(0)) stop();
      return closeAll();
    });

    it('count tasks by priority and outcome, from 0 for each call', async () => {
      await scheduler.postTask(() => {}, { label: 'before' });
      const { read } = start();
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      const failed = scheduler.postTask(() => assert.fail(), { priority: 'user-blocking' });
      const aborted = [1, 2].map(() => scheduler.postTask(() => {}, { signal }));
      controller.abort();
      await Promise.allSettled([failed, ...aborted]);
      for (let i = 0; i < 3; i++) await scheduler.postTask(() => scheduler.yield());
      const { tasks } = await read();
      assert.equal(tasks.length, 9);
      assert.deepEqual(nonZero(tasks), [
        [{ priority: 'user-blocking', outcome: 'failed' }, 1],
        [{ priority: 'user-visible', outcome: 'completed' }, 6],
        [{ priority: 'background', outcome: 'aborted' }, 2],
      ]);
    });

    it('count what is queued, and say how long the oldest has waited', async () => {
      const { read } = start();
      const tasks = [1, 2].map(() => scheduler.postTask(() => {}, { priority: 'background' }));
      // The reader reads in the microtasks of this task, so the others still wait.
      let reading;
      await scheduler.postTask(() => {
        busy(20);
        reading = read();
      }, { priority: 'user-blocking' });
      const { 'tasks.queued': queued, 'tasks.oldest': oldest } = await reading;
      const labels = { priority: 'background' };
      assert.deepEqual([nonZero(queued), nonZero(oldest).length], [[[labels, 2]], 1]);
      assert.ok(valueOf(oldest, labels) >= 0.02, JSON.stringify(oldest));
      await Promise.all(tasks);
      const after = await read();
      assert.deepEqual([...nonZero(after['tasks.queued']), ...nonZero(after['tasks.oldest'])], []);
    });

    it('have histograms of waits and durations that are those of a monitor', async () => {
      const { read } = start();
      const monitor = enabledMonitor();
      await scheduler.postTask(async () => {
        // Code after an await that waits for nothing belongs to the callback.
        await undefined;
        busy(30);
        await scheduler.yield();
      });
      await scheduler.postTask(() => {}, { priority: 'background' });
      await stepEnds();
      const found = await read();
      for (const name of ['wait', 'duration']) {
        for (const [priority, expected] of Object.entries({ 'user-visible': 2, 'background': 1 })) {
          const times = monitor.priorities[priority][name];
          const value = valueOf(found[`task.${name}`], { priority });
          const { count, sum, bounds, counts } = value;
          assert.deepEqual([count, times.count], [expected, expected]);
          assert.ok(Math.abs(sum - times.sum / 1000) < CLOSE, `${sum}, ${times.sum}`);
          assert.deepEqual(bounds, times.buckets.map(({ le }) => le / 1000));
          if (counts === undefined) continue;
          assert.deepEqual(counts, times.buckets.map((each) => each.count));
        }
      }
      assert.ok(valueOf(found['task.duration'], { priority: 'user-visible' }).sum >= 0.03);
    });

    it('say where the time went', async () => {
      const { read } = start();
      await scheduler.postTask(() => busy(20), { priority: 'background' });
      await new Promise((resolve) => setTimeout(resolve, 20));
      const { time } = await read();
      assert.deepEqual(time.map(([{ state }]) => state), STATES);
      const [blocking, , background, , idle] = time.map(([, value]) => value);
      assert.ok(blocking === 0 && background >= 0.02 && idle > 0, JSON.stringify(time));
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
      for (const label of ['index', 'render', 'index']) {
        await scheduler.postTask(() => busy(LONG), { label, priority: 'background' });
      }
      await scheduler.postTask(() => {}, { label: 'short' });
      await stepEnds();
      const { 'label.tasks': tasks, 'label.time': time } = await some.read();
      const labels = ['index', 'render'].map((label) => ({ label, priority: 'background' }));
      assert.deepEqual(tasks, [[labels[0], 2], [labels[1], 1]]);
      assert.ok(valueOf(time, labels[0]) >= 2 * LONG / 1000, JSON.stringify(time));
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
        const outcomes = ['admitted', 'left', 'withdrawn'].map((outcome) => {
          return valueOf(requests, { priority: 'background', outcome }) ?? 0;
        });
        return [...outcomes, valueOf(waits, { priority: 'background' })?.count ?? 0];
      };
      const serve = async () => {
        const { handler, counts } = createAdmission({ classify });
        const port = await listen(http.createServer(handler((_, response) => response.end())));
        return { port, counts };
      };
      const [admitted, left, withdrawn, waited] = await exported();
      for (let i = 0; i < 2; i++) await ask((await serve()).port, '/background');
      const { port, counts } = await serve();
      const release = occupy();
      const client = http.get({ port, host: '127.0.0.1', path: '/background' });
      client.on('error', () => {});
      await until(() => counts().background.queued === 1);
      client.destroy();
      await until(() => counts().background.queued === 0);
      await release();
      assert.deepEqual(await exported(), [admitted + 2, left + 1, withdrawn, waited + 2]);
      assert.deepEqual(nonZero((await read())['requests.queued']), []);
      stop();
      await ask(port, '/background');
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
