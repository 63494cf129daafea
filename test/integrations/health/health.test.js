'use strict';

// serveHealth(): when a server is ready, what it shows, and that its thread ends with the process.
// kubelet.test.js has what it answers while the thread is busy.
// @host each-node

const assert = require('node:assert/strict');
const http = require('node:http');
const { setImmediate: turn } = require('node:timers/promises');
const { createTestScheduler } = require('uv-scheduler/testing');
const { serveHealth } = require('../../../integrations/health');
const { Overload } = require('../../../integrations/health/overload.js');
const { snapshots } = require('../../../integrations/health/snapshots.js');
const { listen } = require('../../helpers/admission.js');
const { LIMIT } = require('../../helpers/programs.js');
const { linesOf } = require('../../helpers/runtime.js');

describe('/ready', () => {
  // Prints the answers of /ready in the states of a program.
  async function states(root) {
    const { once } = require('node:events');
    const { createServer } = require('node:http');
    const { serveHealth: serve } = require(`${root}/dist/health.js`);
    const { shutDown } = require(`${root}/dist/http.js`);
    let ready = () => true;
    const health = serve({ host: '127.0.0.1', ready: () => ready() });
    const look = async () => {
      const response = await fetch(`${health.url}/ready`);
      console.log(response.status, await response.text());
    };
    const start = async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    };
    await look();
    const server = await start();
    for (const each of [
      () => true, async () => false, () => Promise.reject(new Error('no database')),
      () => new Promise(() => {}),
    ]) {
      ready = each;
      await look();
    }
    // The check that hangs is not called again.
    ready = () => console.log('called');
    await look();
    const ended = shutDown(server, { delay: 100 });
    await look();
    await ended;
    (await start()).close();
    await look();
    await health.stop();
    await fetch(`${health.url}/ready`).catch(() => console.log('stopped'));
  }

  const EXPECTED = [
    '503 starting', '200 ok', '503 ready() says no', '503 ready() has failed: no database',
    '503 ready() has not answered', '503 ready() has not answered', '503 shutting down',
    '503 ready() has not answered', 'stopped',
  ];

  it('is what servers, shutDown() and ready() say', async () => {
    assert.deepEqual(await linesOf(states), EXPECTED);
  }).timeout(LIMIT);

  it('is the same where the scheduler is turned off', async () => {
    assert.deepEqual(await linesOf(states, { env: { UV_SCHEDULER_DISABLE: 'all' } }), EXPECTED);
  }).timeout(LIMIT);

  it('is yes in a worker of a cluster and in a worker thread once its server listens', async () => {
    const lines = await linesOf(async (root) => {
      const cluster = require('node:cluster');
      const { createServer } = require('node:http');
      const { Worker, isMainThread, workerData } = require('node:worker_threads');
      if (isMainThread && cluster.isPrimary) {
        cluster.fork().on('exit', () => new Worker(__filename, { workerData: 'thread' }));
        return;
      }
      const { url } = require(`${root}/dist/health.js`).serveHealth({ host: '127.0.0.1' });
      const look = async () => console.log(await (await fetch(`${url}/ready`)).text());
      await look();
      const server = createServer().listen(0, '127.0.0.1', async () => {
        await look();
        server.close();
        if (workerData === null) cluster.worker.disconnect();
      });
    });
    assert.deepEqual(lines, ['starting', 'ok', 'starting', 'ok']);
  }).timeout(LIMIT);

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

  const get = async (path, accept) => {
    const response = await fetch(health.url + path, { headers: accept ? { accept } : {} });
    return [response.status, response.headers.get('content-type'), await response.text()];
  };

  it('shows the newest source of a name, in the type that the client names', async () => {
    assert.deepEqual((await get('/guard')).slice(0, 1), [404]);
    const json = 'application/json';
    const html = 'text/html; charset=utf-8';
    const sources = ['one', 'two'].map((name) => {
      return snapshots.offer('guard', async () => ({ [json]: `"${name}"`, [html]: `<${name}>` }));
    });
    assert.deepEqual(await get('/guard'), [200, json, '"two"']);
    sources[1].end();
    assert.deepEqual(await get('/guard', 'text/html,*/*;q=0.8'), [200, html, '<one>']);
    sources[0].end();
    const failing = snapshots.offer('guard', () => {
      throw new Error('nothing');
    });
    assert.deepEqual((await get('/guard')).slice(2), ['guard: nothing']);
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
    assert.equal((await get('/'))[0], 404);
    const head = await fetch(`${health.url}/live?x`, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal((await fetch(`${health.url}/live`, { method: 'POST' })).status, 405);
  });

  it('throws the error of a port that is in use, and says what it needs', async () => {
    const server = http.createServer();
    const port = await listen(server);
    assert.throws(() => serveHealth({ host: '127.0.0.1', port: `${port}` }),
      { code: 'EADDRINUSE', message: /^Failed to execute 'serveHealth': listen EADDRINUSE/ });
    server.close();
    await turn();
  });

  it('ends with the process, and does not keep it alive', async () => {
    const lines = await linesOf(async (root) => {
      const { serveHealth: serve } = require(`${root}/dist/health.js`);
      const { url } = serve({ host: '127.0.0.1' });
      console.log(await (await fetch(`${url}/live`, { headers: { connection: 'close' } })).text());
    });
    assert.deepEqual(lines, ['ok']);
  }).timeout(LIMIT);
});
