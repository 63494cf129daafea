'use strict';

// Tenants of an admission: the lines by fairness key.

const assert = require('node:assert/strict');
const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { renderToPipeableStream } = require('react-dom/server');
const { monitorTasks, scheduler } = require('../../..');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { ask, closeAll, listen, start, until } = require('../../helpers/admission.js');
const { LIMIT } = require('../../helpers/programs.js');
const { page } = require('../../helpers/react.js');
const { busy } = require('../../helpers/tasks.js');
const { enabledMonitor, separateTests } = require('../../helpers/watch.js');

const fairnessKey = ({ headers }) => headers['x-tenant'];

// Resolves to the status of the answer to a tenant.
async function askAs(tenant, port, options) {
  const headers = tenant === undefined ? {} : { 'x-tenant': tenant };
  return (await ask(port, '/', { headers, ...options })).status;
}

// Work that shows in a monitor, which has the hundred keys with most time.
const work = (signal) => scheduler.postTask(() => busy(20), { signal });

// The number of requests of a key.
const requestsOf = (monitor, name) => monitor.keys.find(({ key }) => key === name)?.requests;

describe('an admission with fairness keys', () => {
  afterEach(closeAll);

  it('serves a tenant beside another one that floods it, which alone is refused', async () => {
    const started = { many: 0, few: 0 };
    const { port } = await start((request, response) => {
      started[request.headers['x-tenant']]++;
      busy(5);
      response.end();
    }, { fairnessKey, refuseAfter: { 'user-visible': 400 } });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 300 });
    let isOver = false;
    let isRefused = false;
    const flood = Array.from({ length: 200 }, async () => {
      while (!isOver) {
        if (await askAs('many', port, { agent }) === 200) continue;
        isRefused = true;
        // Clients wait before they come back.
        await scheduler.wait(100);
      }
    });
    await until(() => isRefused);
    const between = [];
    for (let i = 0; i < 20; i++) {
      const before = started.many;
      assert.equal(await askAs('few', port, { agent }), 200);
      between.push(started.many - before);
    }
    isOver = true;
    await Promise.all(flood);
    agent.destroy();
    // In one line, some eighty would be before it.
    const median = between.sort((a, b) => a - b)[10];
    assert.ok(median < 20, `${between} requests of the other tenant began before one`);
  }).timeout(LIMIT);

  it('gives those of no key one of their own, and takes what weights say', async () => {
    const weights = [];
    const fairnessWeight = (key) => void weights.push(key);
    const { port } = await start(undefined, { fairnessKey, fairnessWeight });
    for (const tenant of [undefined, 'a']) assert.equal(await askAs(tenant, port), 200);
    assert.deepEqual(weights, ['', 'a']);
  });

  it('answers 500 if the key or the weight is none, and warns', async () => {
    const bad = [
      { fairnessKey: () => 'x'.repeat(121) },
      { fairnessKey: () => Symbol('no key') },
      { fairnessKey, fairnessWeight: () => 0 },
      { fairnessKey, fairnessWeight: () => '1' },
    ];
    for (const options of bad) {
      const { port } = await start(() => assert.fail(), options);
      assert.equal(await askAs('a', port), 500);
    }
    for (const options of [{ fairnessKey: 'a' }, { fairnessWeight: 1 }]) {
      assert.throws(() => createAdmission(options), { code: 'ERR_INVALID_ARG_TYPE' });
    }
  });
});

describe('controllerFor() with a fairness key', () => {
  separateTests();
  afterEach(closeAll);

  it('gives a weight to the key that it names, and moves the request to another key', async () => {
    const monitor = monitorTasks();
    const found = {};
    const { port } = await start(async (request, response) => {
      const { signal } = controllerFor(response, { fairnessWeight: 3 });
      const waiting = work(signal);
      controllerFor(response, { fairnessKey: 'second' });
      const look = () => {
        for (const { key, weight, requests } of monitor.keys) found[key] = [weight, requests];
      };
      await waiting;
      // A new key may remove it, as it is not needed any more.
      look();
      await work(signal);
      look();
      response.end();
    }, {
      fairnessKey,
      fairnessWeight: () => 5,
      before: (request, response) => controllerFor(response, { fairnessKey: 'first' }),
    });
    assert.equal(await askAs('of the admission', port), 200);
    assert.deepEqual([found.first, found.second], [[3, 0], [1, 1]]);
    assert.equal(found['of the admission'], undefined);
  });

  it('charges the signal of an admitted request to the key of the request', async () => {
    const monitor = enabledMonitor();
    const { port } = await start(async (request, response) => {
      // As frameworks make the signal of a request.
      await work(controllerFor(new AbortController().signal).signal);
      response.end();
    }, { fairnessKey });
    assert.equal(await askAs('of a signal', port), 200);
    const { time } = monitor.keys.find(({ key }) => key === 'of a signal');
    assert.ok(time > 5, `${time} ms`);
  });

  it('keeps the request of a signal in short pauses, and ends it in a long one', async () => {
    const monitor = enabledMonitor();
    const { signal } = controllerFor(new AbortController().signal, { fairnessKey: 'stream' });
    const counts = new Set();
    await work(signal);
    for (const end = performance.now() + 1600; performance.now() < end;) {
      await scheduler.postTask(() => {}, { signal });
      await sleep(50);
      counts.add(requestsOf(monitor, 'stream'));
    }
    assert.deepEqual([...counts], [1]);
    await until(() => requestsOf(monitor, 'stream') === 0);
    // A later task is of a request again.
    await work(signal);
    assert.equal(requestsOf(monitor, 'stream'), 1);
  });

  it('ends the request of a response with that', async () => {
    const monitor = enabledMonitor();
    let controller;
    const port = await listen(http.createServer(async (request, response) => {
      controller = controllerFor(response, { fairnessKey: 'ended' });
      await work(controller.signal);
      response.end();
    }));
    assert.equal(await askAs('any', port), 200);
    await until(() => requestsOf(monitor, 'ended') === 0);
    // A request that is collected would end, too.
    assert.equal(controller.signal.aborted, false);
  });

  it('ends the request of a React page with its response', async () => {
    const monitor = enabledMonitor();
    const { port } = await start((request, response) => {
      const { pipe } = renderToPipeableStream(page(3, () => busy(10)), {
        onShellReady: () => pipe(response),
      });
    }, { fairnessKey });
    assert.equal(await askAs('of a page', port), 200);
    await until(() => requestsOf(monitor, 'of a page') === 0);
  });

  it('refuses bad values with a clear error', () => {
    const { signal } = new AbortController();
    for (const [options, code, message] of [
      [{ fairnessKey: 'x'.repeat(121) }, 'ERR_OUT_OF_RANGE', /'controllerFor'.* fairnessKey must/],
      [{ fairnessWeight: -1 }, 'ERR_OUT_OF_RANGE', /fairnessWeight must be a finite number above/],
      [{ fairnessWeight: null }, 'ERR_INVALID_ARG_TYPE', /received null/],
    ]) {
      assert.throws(() => controllerFor(signal, options), { code, message });
    }
  });
});
