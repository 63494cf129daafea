'use strict';

// Requests that have begun: in any overload they go on to their end, `maxRunning` bounds how many
// there are, streams among them take turns with requests that wait, and those that wait for other
// requests of their own server do not wait for ever.

const assert = require('node:assert/strict');
const { AsyncResource } = require('node:async_hooks');
const http = require('node:http');
const { text } = require('node:stream/consumers');
const { renderToPipeableStream } = require('react-dom/server');

const { SharedTask, TaskSignal, currentTaskSignal, drain, pieces, scheduler } =
  require('../../..');
const { controllerFor } = require('uv-scheduler/http');
const { ended, serve, sleep, useClock } = require('../../helpers/admission-clock.js');
const { closeAll, connect, deferred, start, until } = require('../../helpers/admission.js');
const { page } = require('../../helpers/react.js');

async function yieldOften(options) {
  for (let i = 0; i < 100; i++) await scheduler.yield(options);
}

describe('raiseAfter of an admission', () => {
  const test = useClock();

  // Serves a background request that does `work` beside user-visible tasks of 1 ms, which keep
  // coming for `rush` ms, at most until it has ended. Resolves to how many requests were raised,
  // and when it ended.
  async function raisedBy(work, bound, rush = Infinity) {
    let endedAt;
    const isOver = () => endedAt !== undefined || test.now >= rush;
    const hurry = async () => {
      while (!isOver()) await scheduler.postTask(() => test.spend(1));
    };
    const { ask, counts } = serve(async (request, response) => {
      for (let i = 0; i < 3; i++) hurry();
      await work(currentTaskSignal(), response);
      endedAt = test.now;
      response.end();
    }, { raiseAfter: { background: bound } });
    const response = ended(ask('/background'));
    while (endedAt === undefined) await test.advance(1);
    await response;
    return [counts().background.raised, endedAt];
  }

  const shared = (callback) => new SharedTask(callback).join();
  const WORK = {
    'yield()': () => yieldOften(),
    'yield() with the signal': (signal) => yieldOften({ signal }),
    async 'pieces() with the signal'(signal) {
      for await (const each of pieces(Array(100).keys(), { signal })) assert.ok(each >= 0);
    },
    'a signal that follows it': (signal) => {
      return yieldOften({ signal: TaskSignal.any([signal], { priority: signal }) });
    },
    'wait(), behind its delay': () => scheduler.wait(5),
    'a task that follows its priority': (_, response) => {
      return scheduler.postTask(() => {}, { signal: controllerFor(response).signal });
    },
    'a shared task that it awaits': () => shared(() => yieldOften()),
    'a shared task of a shared task': () => {
      const inner = new SharedTask(() => yieldOften());
      return shared(() => inner.join());
    },
    'sections of a React page': () => new Promise((resolve) => {
      renderToPipeableStream(page(20, String), { onAllReady: resolve });
    }),
    async 'one entry when another one has left'() {
      const other = new AbortController();
      const left = scheduler.yield({ signal: other.signal, priority: 'inherit' });
      const stays = scheduler.yield();
      other.abort();
      await assert.rejects(left, { name: 'AbortError' });
      await stays;
    },
  };
  for (const [name, work] of Object.entries(WORK)) {
    it(`raises a request once its continuations have waited so long in sum: ${name}`, async () => {
      const [raised, endedAt] = await raisedBy(work, 50);
      assert.equal(raised, 1);
      assert.ok(endedAt >= 50, `after ${endedAt} ms`);
    });
  }

  const NOT_COUNTED = {
    'what a request awaits, nor a wait() before its end': [async () => {
      await sleep(150);
      await scheduler.wait(150);
    }, 100, 0],
    'a wait where the bound is Infinity': [() => scheduler.yield(), Infinity, 1000],
    'a wait twice': [() => scheduler.yield(), 600, 400],
    'a delay that is too long for a timer': [async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const waited = scheduler.wait(2 ** 32, { signal, priority: 'inherit' });
      await sleep(200);
      controller.abort();
      await assert.rejects(waited, { name: 'AbortError' });
    }, 50, 0],
  };
  for (const [what, given] of Object.entries(NOT_COUNTED)) {
    it(`does not count ${what}`, async () => assert.equal((await raisedBy(...given))[0], 0));
  }

  it('is 400 ms by default', async () => {
    assert.deepEqual(await raisedBy(() => yieldOften(), undefined), [1, 400]);
  });
});

describe('a request that waits', () => {
  const test = useClock();

  it('begins by importance once there is room below maxRunning', async () => {
    const order = [];
    const held = [];
    const { ask, counts } = serve((request, response) => {
      order.push(request.url);
      held.push(response);
    }, { maxRunning: 2 });
    const running = () => Object.values(counts()).reduce((sum, each) => sum + each.running, 0);
    for (const path of [
      '/user-visible/1', '/user-visible/2', '/background', '/user-visible/3',
      // A user-blocking request may exceed the limit.
      '/user-blocking/1', '/user-blocking/2',
    ]) {
      ask(path);
      await test.flush();
    }
    assert.deepEqual([running(), held.length], [3, 3]);
    while (held.length > 0) {
      held.shift().end();
      await test.flush();
    }
    assert.deepEqual(order, [
      '/user-visible/1', '/user-visible/2', '/user-blocking/1', '/user-blocking/2',
      '/user-visible/3', '/background',
    ]);
    assert.equal(running(), 0);
  });

  it('goes before streams that awake after it, and behind others', async () => {
    const starts = [];
    const streams = [];
    const { ask } = serve((request, response) => {
      if (request.url !== '/stream') {
        starts.push(request.url);
        return response.end();
      }
      const signal = currentTaskSignal();
      return streams.push([response, (name) => {
        scheduler.postTask(() => void starts.push(name), { signal });
      }]);
    });
    for (const path of ['/stream', '/stream']) ask(path);
    await test.flush();
    // Otherwise the last stream would go on.
    scheduler.postTask(() => {});
    await test.flush();
    for (const [i, [, wake]] of streams.entries()) {
      ask(`/page-${i}`);
      wake(`event-${i}`);
    }
    await test.flush();
    assert.deepEqual(starts, [0, 1].flatMap((i) => [`/page-${i}`, `event-${i}`]));
    for (const [response] of streams) response.end();
    await test.flush();
  });
});

describe('a pipelined request', () => {
  afterEach(closeAll);

  it('needs no place once it was ended, behind another one of its connection', async () => {
    const slow = deferred();
    const { ask, port } = await start(async ({ url }, response) => {
      if (url === '/slow') await slow.promise;
      response.end(url);
    }, { maxRunning: 2 });
    const head = (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const client = connect(port, head('/slow') + head('/quick'));
    assert.equal((await ask('/other')).text, '/other');
    slow.resolve();
    await until(() => client.text.endsWith('/quick'));
  });
});

describe('a request that waits for another one of its server', () => {
  afterEach(closeAll);

  const getBy = (agent) => (url) => new Promise((resolve, reject) => {
    http.get(url, { agent }, (answer) => resolve(text(answer))).on('error', reject);
  });
  const get = getBy(false);
  const byFetch = async (url) => (await fetch(url)).text();
  // Sees the addresses of IPv4 as those of IPv6.
  const createOfBoth = (listener) => {
    const server = http.createServer(listener);
    const { listen } = server;
    return Object.assign(server, { listen: (port) => listen.call(server, port) });
  };

  for (const [how, asking, create] of [
    ['by fetch()', byFetch],
    ['by node:http', get],
    ['by node:http, with one connection', getBy(new http.Agent({ maxSockets: 1 }))],
    ['by node:http, of a server for IPv6', get, createOfBoth],
  ]) {
    it(`gets its answer, whatever the limit is: ${how}`, async () => {
      const { ask, port, counts } = await start(async ({ url }, response) => {
        // It has a task of its own.
        if (url === '/api') return response.end(currentTaskSignal() && 'data');
        return response.end(await asking(`http://127.0.0.1:${port}/api`));
      }, { maxRunning: 1, create });
      // Opens a connection that the pages may use.
      await asking(`http://127.0.0.1:${port}/api`);
      const answers = await Promise.all(['/1', '/2', '/3'].map((path) => ask(path)));
      assert.deepEqual(answers.map((answer) => answer.text), ['data', 'data', 'data']);
      assert.equal(counts()['user-visible'].admitted, 4);
    });
  }

  it('gets its answer during a drain, and lends its priority', async () => {
    const seen = [];
    const { ask, port } = await start(async ({ url }, response) => {
      if (url === '/background') {
        seen.push(controllerFor(response).signal.priority);
        return response.end('data');
      }
      const drained = drain({ keep: 'user-blocking' });
      response.end(await byFetch(`http://127.0.0.1:${port}/background`));
      return drained;
    }, { maxRunning: 1 });
    assert.equal((await ask('/user-blocking')).text, 'data');
    assert.deepEqual(seen, ['user-blocking']);
  });

  it('lets no other request pass on its connection', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const log = [];
    let other;
    const { ask, port } = await start(async ({ url }, response) => {
      if (url === '/page') {
        await getBy(agent)(`http://127.0.0.1:${port}/api`);
        askOther();
        await sleep(20);
      }
      log.push(url);
      response.end();
    }, { maxRunning: 1 });
    // In the context of no request.
    const askOther = AsyncResource.bind(() => {
      other = getBy(agent)(`http://127.0.0.1:${port}/other`);
    });
    await ask('/page');
    await other;
    agent.destroy();
    assert.deepEqual(log, ['/api', '/page', '/other']);
  });
});
