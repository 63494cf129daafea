'use strict';

// UV_SCHEDULER_DISABLE=admission: requests are served as without an admission.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');
const { currentTaskSignal, drain, scheduler } = require('../../..');
const { controllerFor, createAdmission } = require('../../../integrations/http');
const { LIMIT } = require('../../helpers/programs.js');

const never = () => assert.fail('called');

describe('an admission that UV_SCHEDULER_DISABLE turns off', function () {
  this.timeout(LIMIT);
  let server;

  beforeEach(() => (process.env.UV_SCHEDULER_DISABLE = 'admission'));
  afterEach(() => {
    delete process.env.UV_SCHEDULER_DISABLE;
    server?.closeAllConnections();
    server?.close();
  });

  async function listen(listener) {
    server = http.createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${server.address().port}/`;
  }

  it('calls neither classify nor refuse, and serves at once, also while draining', async () => {
    const options = { classify: never, refuse: never, maxRunning: 1 };
    const { counts, handler } = createAdmission(options);
    const signals = [];
    const url = await listen(handler((request, response) => {
      signals.push(currentTaskSignal());
      response.end('served');
    }));
    let release;
    const task = scheduler.postTask(() => new Promise((resolve) => (release = resolve)));
    const drained = drain({ priority: 'user-blocking' });
    const answers = await Promise.all([1, 2, 3].map(() => fetch(url).then((each) => each.text())));
    release?.();
    await Promise.allSettled([task, drained]);
    assert.deepEqual(answers, ['served', 'served', 'served']);
    assert.deepEqual(signals, [undefined, undefined, undefined]);
    for (const { admitted, queued, wait } of Object.values(counts())) {
      assert.deepEqual([admitted, queued, wait.count], [0, 0, 0]);
    }
  });

  it('fulfils when work has ended as its client left, and rejects with other errors', async () => {
    const { admit, handler, middleware } = createAdmission();
    const settled = [];
    const own = handler(async (request, response) => {
      const { signal } = controllerFor(response);
      await scheduler.wait(60_000, { signal });
    });
    const url = await listen((request, response) => {
      settled.push(own(request, response));
    });
    const client = http.get(url).on('error', () => {});
    await once(server, 'request');
    client.destroy();
    assert.equal(await settled[0], true);
    const response = new http.ServerResponse(new http.IncomingMessage());
    const error = new Error('failed');
    const fail = () => {
      throw error;
    };
    await assert.rejects(admit(response.req, response, fail), error);
    assert.equal(await admit(response.req, response, () => 1), true);
    const passed = await new Promise((resolve) => {
      middleware(response.req, response, (...args) => resolve(args));
    });
    assert.deepEqual(passed, []);
  });

  it('checks its options all the same', () => {
    assert.throws(() => createAdmission({ refuseAfer: {} }), { code: 'ERR_INVALID_ARG_VALUE' });
  });
});
