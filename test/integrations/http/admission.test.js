'use strict';

// createAdmission() of `uv-scheduler/http`: its options, its counts, the priority and the signal of
// an admitted request, and errors.

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const events = require('node:events');
const http = require('node:http');
const { mock } = require('node:test');
const express = require('express');
const { fastify } = require('fastify');

const { drain, scheduler } = require('../../..');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { leave, makeResponse, serve, useClock } = require('../../helpers/admission-clock.js');
const { VERSIONS, ask, classify, closeAll, connect, listen, start, until } =
  require('../../helpers/admission.js');
const { priorityOfYield } = require('../../helpers/tasks.js');

const BODY = { method: 'POST', body: 'body' };

afterEach(closeAll);

describe('an admitted request', () => {
  const storage = new AsyncLocalStorage();

  for (const [version, { create, ask }] of Object.entries(VERSIONS)) {
    it(`has its priority in all that follows, with ${version}`, async () => {
      const found = [];
      const look = async () => found.push([await priorityOfYield(), storage.getStore()]);
      const { port } = await start(async (request, response) => {
        await look();
        request.on('data', look);
        await events.once(request, 'end');
        setTimeout(async () => {
          await look();
          response.end('done');
        }, 1);
      }, { create: (listener) => create((...both) => storage.run('store', listener, ...both)) });
      const body = version === 'HTTP/1' ? BODY : { ':method': 'POST', 'body': 'body' };
      for (const [path, priority] of [['/background', 1], ['/user-blocking', 5]]) {
        await ask(port, path, body);
        assert.deepEqual(found.splice(0), Array.from({ length: 3 }, () => [priority, 'store']));
      }
    });
  }

  it('begins in a task with the label of the option', async () => {
    const labels = [];
    const note = ({ label }) => labels.push(label);
    subscribe('uv-scheduler:task:posted', note);
    const label = ({ method, url }) => (url === '/none' ? undefined : `${method} ${url}`);
    const { ask } = await start((request, response) => response.end(), { label });
    for (const path of ['/orders', '/none']) await ask(path);
    unsubscribe('uv-scheduler:task:posted', note);
    assert.deepEqual(labels, ['GET /orders', 'request']);
  });

  it('does not give its priority to other requests of its connection', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const answer = async (request, response) => response.end(`${await priorityOfYield()}`);
    const create = (listener) => http.createServer((request, response) => {
      (request.url === '/plain' ? answer : listener)(request, response);
    });
    const { ask } = await start(answer, { create });
    const texts = [];
    for (const path of ['/background', '/plain', '/user-blocking', '/plain']) {
      texts.push((await ask(path, { agent })).text);
    }
    agent.destroy();
    assert.deepEqual(texts, ['1', '3', '5', '3']);
  });

  it('holds drain() no longer when its client never reads and leaves', async () => {
    let response;
    const { port } = await start((_, each) => {
      response = each;
      response.end(Buffer.alloc(64 * 2 ** 20));
    });
    const socket = connect(port).pause();
    await until(() => response !== undefined);
    let isDrained = false;
    const drained = drain().then(() => {
      isDrained = true;
    });
    for (let i = 0; i < 10; i++) await scheduler.postTask(() => {});
    assert.equal(isDrained, false);
    socket.destroy();
    await drained;
  });
});

// Frameworks, whose body parsers have read the request before `work(response)` is called.
const FRAMEWORKS = {
  express({ middleware }, work) {
    const app = express().use(middleware, express.json());
    return http.createServer(app.use(async (request, response) => {
      response.send(await work(response));
    }));
  },
  async fastify({ admit }, work) {
    const app = fastify();
    app.addHook('onRequest', (request, reply, done) => {
      admit(request.raw, reply.raw, done).catch(done);
    });
    app.post('*', (request, reply) => work(reply.raw));
    await app.ready();
    return app.server;
  },
};

describe('a request behind the body parser of', () => {
  for (const [name, create] of Object.entries(FRAMEWORKS)) {
    it(`${name} has its priority, and is aborted when its client leaves`, async () => {
      const signals = [];
      const port = await listen(await create(createAdmission({ classify }), async (response) => {
        const { signal } = controllerFor(response);
        if (signals.push(signal) === 1) return `${await priorityOfYield()}`;
        return events.once(signal, 'abort').then(() => '');
      }));
      // More than one read of a socket.
      const body = JSON.stringify({ text: 'a'.repeat(90_000) });
      const post = (signal) => ask(port, '/background', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal,
      });
      assert.equal((await post()).text, '1');
      const visitor = new AbortController();
      const left = post(visitor.signal).catch(() => {});
      await until(() => signals.length === 2);
      assert.deepEqual(signals.map(({ aborted }) => aborted), [false, false]);
      visitor.abort();
      await until(() => signals[1].aborted);
      await left;
    });
  }
});

describe('an admitted request without a server', () => {
  const test = useClock();

  it('has the async context of its own arrival, also if others have made it wait', async () => {
    const storage = new AsyncLocalStorage();
    const found = [];
    const { ask } = serve((request, response) => {
      found.push(storage.getStore());
      response.end();
    }, { maxRunning: 1 });
    const paths = ['/1', '/2', '/3'];
    for (const path of paths) storage.run(path, () => ask(path));
    await test.flush();
    assert.deepEqual(found, paths);
  });

  it('counts, with its wait, also in JSON', async () => {
    const { ask, counts } = serve((request, response) => response.end());
    ask('/background');
    test.spend(5);
    await test.flush();
    const { wait, ...others } = JSON.parse(JSON.stringify(counts())).background;
    assert.deepEqual([wait.count, wait.sum, counts().background.wait.percentile(100)], [1, 5, 5]);
    assert.deepEqual(others, {
      admitted: 1,
      refused: { wait: 0, queue: 0, draining: 0, heap: 0 },
      observed: 0,
      wouldRefuse: 0,
      left: 0,
      withdrawn: 0,
      raised: 0,
      threadTime: 0,
      queued: 0,
      running: 0,
      maxRunning: null,
    });
  });

  it('passes by the admission that has admitted it when it comes there again', async () => {
    const log = [];
    const { admit, ask, counts } = serve(async (request, response) => {
      log.push(await admit(request, response, async () => log.push('again')));
      response.end();
    }, { maxRunning: 1 });
    ask('/');
    await test.flush();
    assert.deepEqual([...log, counts()['user-visible'].admitted], ['again', true, 1]);
  });
});

describe('errors', () => {
  const test = useClock();
  const error = new Error('expected');
  const fail = () => {
    throw error;
  };

  it('of classify() go where the framework has those of listeners', async () => {
    const { middleware, admit } = createAdmission({ classify: fail });
    const response = makeResponse('/');
    await assert.rejects(admit(response.req, response, () => {}), error);
    await new Promise((resolve) => middleware(response.req, response, (found) => {
      assert.equal(found, error);
      resolve();
    }));
  });

  const SHORT = { maxRunning: 1, refuseAfter: { 'user-visible': 1 } };
  for (const [name, options, status] of [
    ['classify() that throws, with 500', { classify: fail }, 500],
    ['refuse() that throws, with 503', { ...SHORT, refuse: fail }, 503],
    ['refuse() that rejects, with 503', {
      ...SHORT,
      refuse: async (request, response) => {
        response.setHeader('Content-Length', 1);
        await undefined;
        fail();
      },
    }, 503],
  ]) {
    it(`of a listener's server are answered: ${name}, and warned of once`, async () => {
      const { mock: warn } = mock.method(process, 'emitWarning', () => {});
      const { ask, settled } = serve(assert.fail, options);
      const responses = ['/', '/', '/'].map((path) => ask(path));
      test.spend(10);
      await test.flush();
      warn.restore();
      assert.deepEqual(responses.map(({ statusCode }) => statusCode), [status, status, status]);
      assert.deepEqual(settled, [false, false, false]);
      assert.equal(warn.callCount(), 1);
      const [message, { code }] = warn.calls[0].arguments;
      assert.match(message, /^(classify|refuse)\(\) of an admission .*: expected$/);
      assert.equal(code, 'UV_SCHEDULER_ADMISSION');
    });
  }

  for (const [title, listener] of [
    ['throws before the first byte', fail],
    ['rejects after it', async (request, response) => {
      response.write('begun');
      await undefined;
      fail();
    }],
  ]) {
    it(`of a listener that ${title} reject, and drain() waits`, async () => {
      const { ask, counts, settled } = serve(listener);
      const response = ask('/');
      let isDrained = false;
      const drained = drain().then(() => (isDrained = true));
      await test.flush();
      assert.deepEqual([settled, isDrained], [[error], false]);
      assert.equal(counts()['user-visible'].admitted, 1);
      leave(response);
      await drained;
    });
  }
});

it('the error of the listener of a server with captureRejections is answered 500', async () => {
  const { handler } = createAdmission();
  events.captureRejections = true;
  const server = http.createServer(handler(async () => {
    throw new Error('expected');
  }));
  events.captureRejections = false;
  assert.equal((await ask(await listen(server))).status, 500);
});
