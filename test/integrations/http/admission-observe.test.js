'use strict';

// createAdmission({ observe, routes, refusal, maxHeap }): requests that are observed only, the rows
// of routes, and how requests are refused.

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const path = require('node:path');
const { controllerFor } = require('uv-scheduler/http');
const { currentTaskSignal } = require('../../..');
const { monitorTasks } = require('uv-scheduler/watch');
const { leave, letVisit, serve, sleep, useClock } =
  require('../../helpers/admission-clock.js');
const { FIXTURES, LIMIT, assertOnEnds, run } = require('../../helpers/loop.js');
const { VERSIONS, closeAll, start, until } = require('../../helpers/admission.js');

const VISIBLE = 'user-visible';
const OBSERVE = { observe: true, fairnessKey: 'route', refuseAfter: undefined };

const rowOf = ({ routes }, name) => routes().find(({ route }) => route === name);

afterEach(closeAll);

describe('an observed request', () => {
  const test = useClock();

  it('is served at once, without a task and a signal, and is counted', async () => {
    const log = [];
    const server = serve((request, response) => {
      log.push(request.url, currentTaskSignal());
      response.end();
    }, OBSERVE);
    server.ask('/a');
    log.push('arrived');
    assert.deepEqual(log, ['/a', undefined, 'arrived']);
    const { admitted, observed, wouldRefuse } = server.counts()[VISIBLE];
    assert.deepEqual([admitted, observed, wouldRefuse], [0, 1, 0]);
  });

  it('is charged for its code behind an await, also where its client has left', async () => {
    const server = serve(async ({ url }, response) => {
      test.spend(3);
      await sleep(5);
      if (url === '/left') leave(response);
      test.spend(40);
      if (url !== '/other') response.end();
    }, OBSERVE);
    const other = server.ask('/other');
    await test.advance(50);
    for (const url of ['/stays', '/left']) {
      server.ask(url);
      await test.advance(50);
      const { threadTime, longest, left } = rowOf(server, `GET ${url}`);
      assert.deepEqual([threadTime, longest, left], [43, 40, url === '/left' ? 1 : 0], url);
    }
    assert.equal(server.counts()[VISIBLE].threadTime, 2 * 43 + 3);
    other.end();
  });

  it('is charged for both where its code names a key', async () => {
    const server = serve((request, response) => {
      controllerFor(response, { fairnessKey: 'tenant-of-observed' });
      test.spend(7);
      response.end();
    }, OBSERVE);
    server.ask('/');
    const { time } = monitorTasks().keys.find(({ key }) => key === 'tenant-of-observed');
    assert.deepEqual([Math.round(time), server.routes()[0].threadTime], [7, 7]);
  });

  it('is charged in a busy thread where it computes and answers in two callbacks', async () => {
    const server = serve((request, response) => setImmediate(() => {
      test.spend(30);
      setImmediate(() => response.end());
    }), OBSERVE);
    // The first second shows that the thread is busy.
    const times = [];
    for (const count of [60, 100]) {
      const before = server.counts()[VISIBLE].threadTime;
      for (let i = 0; i < count; i++) {
        server.ask('/');
        await new Promise(setImmediate);
      }
      times.push(server.counts()[VISIBLE].threadTime - before);
    }
    assert.ok(times[1] > 0.9 * 3000, `${times}`);
  });

  it('would be refused where a route has more work than time, and others would not', async () => {
    const run = async (options) => {
      const server = serve(async ({ url }, response) => {
        await sleep(5);
        test.spend(url === '/home' ? 60 : 2);
        response.end();
      }, { ...OBSERVE, ...options });
      // As many a second whatever becomes of them.
      const begin = test.now;
      const visit = async (url, apart) => {
        for (let i = 0; i < 10_000 / apart; i++) {
          while (test.now < begin + i * apart) await sleep(apart);
          server.ask(url);
        }
      };
      const all = Promise.all([visit('/home', 30), visit('/post', 20)]);
      await test.advance(14_000);
      await all;
      const [home, post] = ['/home', '/post'].map((url) => rowOf(server, `GET ${url}`));
      return { home, post };
    };
    const { home, post } = await run({});
    assert.ok(home.wouldRefuse > home.requests * 0.3, JSON.stringify(home));
    assert.equal(post.wouldRefuse, 0);
  });

  it('would not be refused below the capacity', async () => {
    const server = serve((request, response) => {
      test.spend(6);
      response.end();
    }, OBSERVE);
    await letVisit(test, 1, 5000, () => {
      server.ask('/');
      return sleep(10);
    });
    const { observed, wouldRefuse } = server.counts()[VISIBLE];
    assert.ok(observed > 200);
    assert.equal(wouldRefuse, 0);
  });

  it('is answered 500 where classify() fails, and is counted once in two admissions', async () => {
    const server = serve(async (request, response) => {
      await server.admit(request, response, () => response.end());
    }, {
      ...OBSERVE,
      classify: ({ url }) => {
        if (url === '/fails') throw new Error('own');
      },
    });
    const [failed, served] = ['/fails', '/'].map((url) => server.ask(url));
    await until(() => served.writableEnded);
    assert.deepEqual([failed.statusCode, served.statusCode], [500, 200]);
    assert.equal(server.counts()[VISIBLE].observed, 1);
  });

  it('is chosen by a function, anew for each request', async () => {
    let isObserved = true;
    const options = { ...OBSERVE, observe: () => isObserved };
    const server = serve((request, response) => response.end(), options);
    server.ask('/');
    isObserved = false;
    server.ask('/');
    await test.flush();
    const { admitted, observed } = server.counts()[VISIBLE];
    assert.deepEqual([admitted, observed], [1, 1]);
  });
});

describe('the rows of routes', () => {
  const test = useClock();
  const API = Symbol.for('opentelemetry.js.api.1');

  afterEach(() => delete globalThis[API]);

  it('have the path where a router has forgotten in which path it was found', async () => {
    // As json-server does, which answers behind its routers.
    const found = { baseUrl: '', originalUrl: '/posts/7?q', url: '/', route: { path: '/:id' } };
    const server = serve((request, response) => {
      Object.assign(request, found);
      response.end();
    }, OBSERVE);
    server.ask(found.originalUrl);
    await test.flush();
    assert.equal(server.routes()[0].route, 'GET /posts/:id');
  });

  it('have waits, requests in progress, and the names of frameworks', async () => {
    const found = { baseUrl: '/posts', route: { path: '/:slug' } };
    const server = serve((request, response) => {
      if (request.url.startsWith('/posts')) Object.assign(request, found);
      test.spend(4);
      if (request.url === '/stream') response.write('more');
      else response.end();
    }, { routes: true });
    const [, , stream] = ['/posts/one', '/posts/two', '/stream'].map((url) => server.ask(url));
    test.spend(50);
    await test.flush();
    const rows = server.routes().map((row) => [row.route, row.requests, row.threadTime]);
    assert.deepEqual(rows, [['GET /posts/:slug', 2, 8], ['GET /stream', 1, 4]]);
    assert.ok(server.routes()[0].wait.p50 >= 40);
    stream.end();
    await test.flush();
  });

  it('have the route that OpenTelemetry knows where the request ends', async () => {
    // The API of OpenTelemetry leaves itself there. Instrumentations of frameworks write the route.
    const metadata = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA');
    const storage = new AsyncLocalStorage();
    globalThis[API] = { context: { active: () => storage.getStore() } };
    for (const options of [OBSERVE, { routes: true }]) {
      const server = serve(async ({ url }, response) => {
        const traced = url.startsWith('/posts') ? { route: '/posts/:slug' } : {};
        const active = { getValue: (key) => (key === metadata ? traced : undefined) };
        await storage.run(active, async () => {
          await sleep(1);
          response.end();
        });
      }, options);
      for (const url of ['/posts/one', '/posts/two', '/other']) server.ask(url);
      await test.advance(100);
      const rows = server.routes().map(({ route, requests }) => [route, requests]);
      assert.deepEqual(rows.sort(), [['GET /other', 1], ['GET /posts/:slug', 2]]);
    }
  });

  it('are at most a thousand and one, and (others)', async () => {
    const server = serve((request, response) => {
      request.route = { path: `/${request.url.length}` };
      response.end();
    }, { ...OBSERVE });
    for (let i = 0; i < 3000; i++) server.ask(`/${'x'.repeat(i)}`);
    await until(() => rowOf(server, '(others)')?.requests >= 1998);
    const rows = server.routes();
    assert.ok(rows.length <= 1002, `${rows.length} rows`);
  });
});

describe('a refused request', () => {
  const test = useClock();
  const refusals = async (options, keys = ['a', 'b']) => {
    const { ask } = serve((request, response) => {
      test.spend(20);
      response.end();
    }, { refuseAfter: { [VISIBLE]: 20 }, fairnessKey: ({ url }) => url[1], ...options });
    const responses = [];
    await letVisit(test, 8, test.now + 1000, () => {
      responses.push(ask(`/${keys[0]}`));
      if (responses.length % 16 === 0) responses.push(ask(`/${keys[1]}`));
      return sleep(10);
    });
    await test.flush();
    const refused = responses.filter(({ statusCode }) => statusCode >= 400);
    return { statuses: new Set(refused.map(({ statusCode }) => statusCode)), refused };
  };

  it('is answered 429 where its key exceeds its share, and else 503', async () => {
    assert.ok((await refusals({})).statuses.has(429));
    assert.deepEqual([...(await refusals({}, ['a', 'a'])).statuses], [503]);
  });

  it('has the statuses and the headers of the option refusal', async () => {
    const headers = { 'X-Shed': 'yes', 'Retry-After': '9' };
    const refusal = { status: 529, shareStatus: 420, headers };
    const { statuses, refused: [first] } = await refusals({ refusal });
    assert.ok(statuses.has(420) && [...statuses].every((each) => [420, 529].includes(each)));
    assert.deepEqual([first.getHeader('x-shed'), first.getHeader('retry-after')], ['yes', '9']);
  });
});

describe('an admission with maxHeap', () => {
  it('refuses all but user-blocking requests while the heap exceeds it', async () => {
    const flags = ['--expose-gc', '--max-old-space-size=128'];
    const stdout = '[[200,200,200],[503,503,200],[200,200,200],1]\n';
    await assertOnEnds({ code: 0, signal: null, stdout, stderr: '' }, (node) => {
      return run(node, [...flags, path.join(FIXTURES, 'http', 'heap.js')]);
    });
  }).timeout(4 * LIMIT);
});

describe('an admission of real servers', () => {
  for (const [version, { create, ask }] of Object.entries(VERSIONS)) {
    it(`observes each request of ${version} once`, async () => {
      const server = await start(undefined, { create, observe: true, routes: true });
      assert.equal((await ask(server.port, '/a')).text, '/a');
      await until(() => server.routes().length > 0);
      const [{ route, requests }] = server.routes();
      assert.deepEqual([route, requests], ['GET /a', 1]);
    });
  }
});
