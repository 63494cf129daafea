'use strict';

// Tenants of an admission: the lines by fairness key.

const assert = require('node:assert/strict');
const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { renderToPipeableStream } = require('react-dom/server');
const { monitorTasks, scheduler } = require('../../..');
const { controllerFor } = require('uv-scheduler/http');
const { ask, closeAll, listen, occupy, start, until } = require('../../helpers/admission.js');
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
    const order = [];
    const { port, counts } = await start((request, response) => {
      order.push(request.headers['x-tenant']);
      busy(5);
      response.end();
    }, { fairnessKey, maxRunning: 1, maxQueued: 10 });
    const isRefused = (count) => until(() => counts()['user-visible'].refused.queue === count);
    const release = occupy();
    const many = Array.from({ length: 20 }, () => askAs('many', port));
    await isRefused(10);
    const few = [1, 2].map(() => askAs('few', port));
    await isRefused(12);
    await release();
    assert.deepEqual(await Promise.all(few), [200, 200]);
    await Promise.all(many);
    assert.ok(order.lastIndexOf('few') < 5, order.join());
  });

  it('gives those of no key one of their own, and takes what weights say', async () => {
    const weights = [];
    const fairnessWeight = (key) => void weights.push(key);
    const { port } = await start(undefined, { fairnessKey, fairnessWeight });
    for (const tenant of [undefined, 'a']) assert.equal(await askAs(tenant, port), 200);
    assert.deepEqual(weights, ['', 'a']);
  });

  it('serves keys of any length, and those that are numbers', async () => {
    const keys = [];
    const fairnessWeight = (key) => void keys.push(key);
    const { port } = await start(undefined, {
      fairnessKey: ({ headers }) => JSON.parse(headers['x-tenant']), fairnessWeight,
    });
    for (const tenant of ['7', JSON.stringify('x'.repeat(200))]) {
      assert.equal(await askAs(tenant, port), 200);
    }
    assert.deepEqual([keys[0], keys[1].length], ['7', 120]);
  });

  it('answers 500 if the key or the weight is none, and warns', async () => {
    const bad = [
      { fairnessKey: () => Symbol('no key') },
      { fairnessKey, fairnessWeight: () => 0 },
      { fairnessKey, fairnessWeight: () => '1' },
    ];
    for (const options of bad) {
      const { port } = await start(() => assert.fail(), options);
      assert.equal(await askAs('a', port), 500);
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
});
