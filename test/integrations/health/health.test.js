'use strict';

// serveHealth(): when a server is ready, what it shows, and that its thread ends with the process.
// kubelet.test.js has what it answers while the thread is busy.
// @host each-node runtimes

const assert = require('node:assert/strict');
const http = require('node:http');
const { setImmediate: turn } = require('node:timers/promises');
const { isDeepStrictEqual } = require('node:util');
const { createTestScheduler } = require('uv-scheduler/testing');
const { serveHealth } = require('../../../integrations/health');
const { Overload } = require('../../../integrations/health/overload.js');
const { snapshots } = require('../../../integrations/health/snapshots.js');
const { listen } = require('../../helpers/admission.js');
const { LIMIT } = require('../../helpers/programs.js');
const { isDeno, isNode, linesOf, runProgram } = require('../../helpers/runtime.js');

describe('/ready', () => {
  // Waits for the answers of /ready in the states of a program.
  async function states(root) {
    const { once } = require('node:events');
    const { createServer } = require('node:http');
    const { serveHealth: serve } = require(`${root}/dist/health.js`);
    const { shutDown } = require(`${root}/dist/http.js`);
    let ready = () => true;
    const health = serve({ host: '127.0.0.1', ready: () => ready() });
    // The thread may answer late: the last answer counts until then.
    const until = async (expected) => {
      for (let answer; answer !== expected;) {
        const response = await fetch(`${health.url}/ready`);
        answer = `${response.status} ${await response.text()}`;
      }
    };
    const start = async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    };
    await until('503 starting');
    const server = await start();
    await until('200 ok');
    for (const [each, expected] of [
      [async () => false, '503 ready() says no'],
      [() => Promise.reject(new Error('no database')), '503 ready() has failed: no database'],
      [() => true, '200 ok'],
      [() => new Promise(() => {}), '503 ready() has not answered'],
    ]) {
      ready = each;
      await until(expected);
    }
    ready = () => console.log('A check that hangs is called again.');
    const ended = shutDown(server, { delay: 100 });
    await until('503 shutting down');
    await ended;
    (await start()).close();
    await until('503 ready() has not answered');
    await health.stop();
    await fetch(`${health.url}/ready`).catch(() => console.log('stopped'));
  }

  it('is what servers, shutDown() and ready() say', async () => {
    assert.deepEqual(await linesOf(states), ['stopped']);
  }).timeout(LIMIT);

  it('is the same where the scheduler is turned off', async () => {
    const env = { UV_SCHEDULER_DISABLE: 'all' };
    assert.deepEqual(await linesOf(states, { env }), ['stopped']);
  }).timeout(LIMIT);

  for (const [kind, start] of Object.entries({
    'worker of a cluster': () => require('node:cluster').fork(),
    'worker thread': () => new (require('node:worker_threads').Worker)(__filename),
  })) {
    // Deno has no threads in one.
    if (isDeno && kind !== 'worker thread') continue;
    it(`is yes in a ${kind} once its server listens`, async () => {
      const lines = await linesOf(`async (root) => {
        if (require('node:worker_threads').isMainThread && require('node:cluster').isPrimary) {
          return (${start})();
        }
        const { url } = require(root + '/dist/health.js').serveHealth({ host: '127.0.0.1' });
        const look = async () => console.log(await (await fetch(url + '/ready')).text());
        await look();
        const server = require('node:http').createServer().listen(0, '127.0.0.1', async () => {
          await look();
          server.close();
          require('node:cluster').worker?.disconnect();
        });
      }`);
      assert.deepEqual(lines, ['starting', 'ok']);
    }).timeout(LIMIT);
  }

  it('is no in an overload that lasts, and yes when it has been over for a while', async () => {
    const test = createTestScheduler();
    try {
      const counts = (admitted, wait) => ({ admitted, refused: { wait, queue: 0, draining: 9 } });
      let all = counts(0, 0);
      let crawlers = counts(0, 0);
      const overload = new Overload({
        counts: () => {
          return { 'user-blocking': counts(0, 0), 'user-visible': all, 'background': crawlers };
        },
      });
      // Looks each second, when so many requests were admitted and refused.
      const lastsAfter = async (seconds, admitted, refused) => {
        const answers = [];
        for (let i = 0; i < seconds; i++) {
          await test.advance(1000);
          all = counts(all.admitted + admitted, all.refused.wait + refused);
          crawlers = counts(0, crawlers.refused.wait + 100);
          answers.push(overload.lasts);
        }
        return answers.indexOf(!answers[0]);
      };
      assert.equal(await lastsAfter(60, 100, 5), -1);
      for (let i = 0; i < 2; i++) {
        const [begin, end] = [await lastsAfter(40, 90, 10), await lastsAfter(40, 100, 0)];
        assert.ok(begin >= 10 && begin <= 30, `${begin}`);
        assert.ok(end >= 4 && end <= 15, `${end}`);
      }
      // A short one is none.
      for (let i = 0; i < 10; i++) {
        assert.equal(await lastsAfter(9, 0, 10), -1);
        assert.equal(await lastsAfter(1, 10, 0), -1);
      }
    } finally {
      test.stop();
    }
  });
});

describe('the server of serveHealth()', () => {
  let health;
  let test;

  beforeEach(() => (health = serveHealth({ host: '127.0.0.1' })));

  afterEach(async () => {
    await health.stop();
    test?.stop();
  });

  // Waits for an answer, as the thread may be late.
  async function shows(expected, accept = '*/*') {
    for (let answer = []; !isDeepStrictEqual(answer, expected);) {
      const response = await fetch(`${health.url}/guard`, { headers: { accept } });
      const { status, headers } = response;
      answer = [status, headers.get('content-type'), await response.text()];
    }
  }

  it('shows the newest source of a name, in the type that the client names', async () => {
    const text = 'text/plain; charset=utf-8';
    const json = 'application/json';
    const html = 'text/html; charset=utf-8';
    await shows([404, text, 'guard: the program has no guard']);
    const sources = ['one', 'two'].map((name) => {
      return snapshots.offer('guard', async () => ({ [json]: `"${name}"`, [html]: `<${name}>` }));
    });
    await shows([200, json, '"two"']);
    sources[1].end();
    await shows([200, html, '<one>'], 'text/html,*/*;q=0.8');
    sources[0].end();
    const failing = snapshots.offer('guard', () => {
      throw new Error('nothing');
    });
    await shows([503, text, 'guard: nothing']);
    failing.end();
  });

  it('gets a snapshot once a second while things change, and none for no server', async () => {
    test = createTestScheduler();
    let reads = 0;
    const source = snapshots.offer('another', () => ({ 'text/plain': `${++reads}` }));
    for (let i = 0; i < 5; i++) {
      source.changed();
      await test.advance(300);
    }
    assert.equal(reads, 1);
    await health.stop();
    source.changed();
    await test.advance(5000);
    assert.equal(reads, 1);
    source.end();
  });

  it('knows its paths and methods', async () => {
    assert.equal((await fetch(health.url)).status, 404);
    const head = await fetch(`${health.url}/live?x`, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal((await fetch(`${health.url}/live`, { method: 'POST' })).status, 405);
  });

  it('throws the error of a port that is in use', async () => {
    const server = http.createServer();
    const port = await listen(server);
    assert.throws(() => serveHealth({ host: '127.0.0.1', port: `${port}` }),
      { code: 'EADDRINUSE', message: /^Failed to execute 'serveHealth': ./ });
    server.close();
    await turn();
  });

  if (isNode) {
    it('is refused without the permission for threads', async () => {
      const isOld = Number.parseInt(process.versions.node, 10) < 23;
      const flags = ['--allow-fs-read=*', '--allow-addons', '--no-warnings',
        isOld ? '--experimental-permission' : '--permission'];
      const serve = (root) => require(`${root}/dist/health.js`).serveHealth();
      const { code, stderr } = await runProgram(serve, { flags });
      assert.equal(code, 1);
      assert.match(stderr, /Failed to execute 'serveHealth': .* --allow-worker/);
    }).timeout(LIMIT);
  }

  it('ends with the process, and does not keep it alive', async () => {
    const lines = await linesOf(async (root) => {
      const { serveHealth: serve } = require(`${root}/dist/health.js`);
      const { url } = serve({ host: '127.0.0.1' });
      console.log((await fetch(`${url}/live`, { headers: { connection: 'close' } })).status);
    });
    assert.deepEqual(lines, ['200']);
  }).timeout(LIMIT);
});
