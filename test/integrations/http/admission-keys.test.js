'use strict';

// Tenants of an admission: the lines by fairness key.

const assert = require('node:assert/strict');
const http = require('node:http');
const { renderToPipeableStream } = require('react-dom/server');
const { monitorTasks, scheduler } = require('../../..');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { closeAll, listen, until } = require('../../helpers/admission.js');
const { LIMIT } = require('../../helpers/programs.js');
const { page } = require('../../helpers/react.js');
const { busy } = require('../../helpers/tasks.js');

const fairnessKey = ({ headers }) => headers['x-tenant'];

// Resolves to the status of the answer to a tenant.
function askAs(tenant, port, agent) {
  return new Promise((resolve, reject) => {
    const headers = tenant === undefined ? {} : { 'x-tenant': tenant };
    http.get({ port, agent, headers, path: '/' }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', reject);
  });
}

describe('an admission with fairness keys', () => {
  afterEach(closeAll);

  it('serves a tenant beside another one that floods it, which alone is refused', async () => {
    const started = { many: 0, few: 0 };
    const admission = createAdmission({ fairnessKey, refuseAfter: { 'user-visible': 400 } });
    const port = await listen(http.createServer(admission.handler((request, response) => {
      started[request.headers['x-tenant']]++;
      busy(5);
      response.end();
    })));
    const agent = new http.Agent({ keepAlive: true, maxSockets: 300 });
    let isOver = false;
    const statuses = { many: [], few: [] };
    const flood = Array.from({ length: 200 }, async () => {
      while (!isOver) {
        const status = await askAs('many', port, agent);
        statuses.many.push(status);
        // Clients wait before they come back.
        if (status === 503) await scheduler.wait(100);
      }
    });
    while (!statuses.many.includes(503)) await scheduler.wait(10, { priority: 'user-blocking' });
    const between = [];
    for (let i = 0; i < 20; i++) {
      const before = started.many;
      statuses.few.push(await askAs('few', port, agent));
      between.push(started.many - before);
    }
    isOver = true;
    await Promise.all(flood);
    agent.destroy();
    assert.deepEqual(statuses.few, new Array(20).fill(200));
    // In one line, some eighty would be before it.
    const median = between.sort((a, b) => a - b)[10];
    assert.ok(median < 20, `${between} requests of the other tenant began before one`);
  }).timeout(LIMIT);

  it('gives those of no key one of their own, and takes what weights say', async () => {
    const weights = [];
    const admission = createAdmission({
      fairnessKey,
      fairnessWeight: (key) => void weights.push(key),
    });
    const port = await listen(http.createServer(admission.handler((_, response) => {
      response.end();
    })));
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
      const admission = createAdmission(options);
      const port = await listen(http.createServer(admission.handler(() => assert.fail())));
      assert.equal(await askAs('a', port), 500);
    }
    for (const options of [{ fairnessKey: 'a' }, { fairnessWeight: 1 }]) {
      assert.throws(() => createAdmission(options), { code: 'ERR_INVALID_ARG_TYPE' });
    }
  });
});

describe('controllerFor() with a fairness key', () => {
  afterEach(closeAll);

  it('lets tenants take turns, whoever has more', async () => {
    const order = [];
    let waiting = 0;
    const port = await listen(http.createServer((request, response) => {
      const tenant = request.headers['x-tenant'];
      const { signal } = controllerFor(response, { fairnessKey: tenant });
      waiting++;
      // All begin to wait before the first one runs.
      scheduler.wait(0, { signal }).then(async () => {
        while (waiting < 21) await scheduler.wait(1, { signal });
        await scheduler.postTask(() => {
          order.push(tenant);
          busy(2);
        }, { signal });
        response.end();
      });
    }));
    const agent = new http.Agent({ maxSockets: 100 });
    const many = Array.from({ length: 20 }, () => askAs('many', port, agent));
    while (waiting < 20) await scheduler.wait(1, { priority: 'user-blocking' });
    await Promise.all([...many, askAs('few', port, agent)]);
    assert.equal(order.length, 21);
    assert.ok(order.indexOf('few') < 15, `${order}`);
  }).timeout(LIMIT);

  it('gives a weight to the key that it names, and moves the request to another key', async () => {
    const admission = createAdmission({ fairnessKey, fairnessWeight: () => 5 });
    const monitor = monitorTasks();
    const found = {};
    const handle = admission.handler(async (request, response) => {
      const { signal } = controllerFor(response, { fairnessWeight: 3 });
      // The monitor has the hundred keys with most time.
      const waiting = scheduler.postTask(() => busy(20), { signal });
      controllerFor(response, { fairnessKey: 'second' });
      const look = () => {
        for (const { key, weight, requests } of monitor.keys) found[key] = [weight, requests];
      };
      await waiting;
      // A new key may remove it, as it is not needed any more.
      look();
      await scheduler.postTask(() => busy(20), { signal });
      look();
      response.end();
    });
    const port = await listen(http.createServer((request, response) => {
      controllerFor(response, { fairnessKey: 'first' });
      handle(request, response);
    }));
    assert.equal(await askAs('of the admission', port), 200);
    assert.deepEqual([found.first, found.second], [[3, 0], [1, 1]]);
    assert.equal(found['of the admission'], undefined);
  });

  it('charges the signal of an admitted request to the key of the request', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    const admission = createAdmission({ fairnessKey });
    const port = await listen(http.createServer(admission.handler(async (request, response) => {
      // As frameworks make the signal of a request.
      const { signal } = controllerFor(new AbortController().signal);
      await scheduler.postTask(() => busy(20), { signal });
      response.end();
    })));
    assert.equal(await askAs('of a signal', port), 200);
    const { time } = monitor.keys.find(({ key }) => key === 'of a signal');
    assert.ok(time > 5, `${time} ms`);
    monitor.disable();
  });

  it('ends the request of a signal that has been idle, which teaches the levels', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    const { signal } = new AbortController();
    const controller = controllerFor(signal, { fairnessKey: 'fetch' });
    const run = () => scheduler.postTask(() => busy(20), { signal: controller.signal });
    const requests = () => monitor.keys.find(({ key }) => key === 'fetch')?.requests;
    await run();
    assert.equal(requests(), 1);
    while (requests() > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    // A later task is of a request again.
    await run();
    assert.equal(requests(), 1);
    monitor.disable();
  });

  it('ends the request of a response with that', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    let controller;
    const port = await listen(http.createServer(async (request, response) => {
      controller = controllerFor(response, { fairnessKey: 'ended' });
      await scheduler.postTask(() => busy(20), { signal: controller.signal });
      response.end();
    }));
    assert.equal(await askAs('any', port), 200);
    await until(() => monitor.keys.find(({ key }) => key === 'ended')?.requests === 0);
    // A request that is collected would end, too.
    assert.equal(controller.signal.aborted, false);
    monitor.disable();
  });

  it('ends the request of a React page with its response', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    const admission = createAdmission({ fairnessKey });
    const port = await listen(http.createServer(admission.handler((request, response) => {
      const { pipe } = renderToPipeableStream(page(3, () => busy(10)), {
        onShellReady: () => pipe(response),
      });
    })));
    assert.equal(await askAs('of a page', port), 200);
    await until(() => monitor.keys.find(({ key }) => key === 'of a page')?.requests === 0);
    monitor.disable();
  });

  it('keeps the request of a signal that pauses for less than a second', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    const { signal } = new AbortController();
    const controller = controllerFor(signal, { fairnessKey: 'stream' });
    const counts = new Set();
    // A hundred keys are shown, those with most time.
    await scheduler.postTask(() => busy(20), { signal: controller.signal });
    for (const end = performance.now() + 1600; performance.now() < end;) {
      await scheduler.postTask(() => {}, { signal: controller.signal });
      await new Promise((resolve) => setTimeout(resolve, 50));
      counts.add(monitor.keys.find(({ key }) => key === 'stream')?.requests);
    }
    monitor.disable();
    assert.deepEqual([...counts], [1]);
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
