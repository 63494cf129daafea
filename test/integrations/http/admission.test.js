'use strict';

// createAdmission() of `uv-scheduler/http`: its options, its counts, the priority and the signal of
// an admitted request, and errors.

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const events = require('node:events');
const http = require('node:http');

const { drain } = require('../../..');
const { createAdmission } = require('uv-scheduler/http');
const { VERSIONS, ask, closeAll, connect, listen, occupy, start, until } =
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

  it('has the async context of its own arrival, also if others have made it wait', async () => {
    const { counts, ask } = await start((request, response) => response.end(storage.getStore()), {
      create: (listener) => http.createServer((request, response) => {
        storage.run(request.url, listener, request, response);
      }),
    });
    const release = occupy();
    const paths = ['/1', '/2', '/3'];
    const answers = paths.map((path) => ask(path));
    await until(() => counts()['user-visible'].queued === 3);
    await release();
    assert.deepEqual((await Promise.all(answers)).map(({ text }) => text), paths);
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

  it('counts, with its wait, also in JSON', async () => {
    const { ask, counts } = await start();
    for (const path of ['/background', '/']) await ask(path);
    const inJson = JSON.parse(JSON.stringify(counts()));
    for (const priority of ['background', 'user-visible']) {
      const { wait, ...others } = inJson[priority];
      assert.ok(wait.count === 1 && wait.sum > 0 && wait.sum < 30_000);
      assert.ok(counts()[priority].wait.percentile(100) <= wait.max);
      assert.deepEqual(others, {
        admitted: 1,
        refused: { wait: 0, queue: 0, draining: 0 },
        left: 0,
        withdrawn: 0,
        raised: 0,
        queued: 0,
        running: 0,
        maxRunning: null,
      });
    }
  });

  it('passes by the admission that has admitted it when it comes there again', async () => {
    const { admit, ask, counts } = await start(async (request, response) => {
      const isAdmitted = await admit(request, response, async () => {
        response.write('again, ');
      });
      response.end(`${isAdmitted}`);
    }, { maxRunning: 1, refuseAfter: { 'user-visible': 20 } });
    const answer = await ask('/');
    assert.deepEqual([answer.status, answer.text], [200, 'again, true']);
    assert.equal(counts()['user-visible'].admitted, 1);
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
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(isDrained, false);
    socket.destroy();
    await drained;
  });
});

describe('errors', () => {
  const error = new Error('expected');
  const fail = () => {
    throw error;
  };

  it('of classify() go where the framework has those of listeners', async () => {
    const { middleware, admit } = createAdmission({ classify: fail });
    const found = [];
    const port = await listen(http.createServer((request, response) => {
      const collect = (each) => found.push(each);
      admit(request, response, () => {}).catch(collect);
      middleware(request, response, (each) => {
        collect(each);
        response.end();
      });
    }));
    await ask(port);
    await until(() => found.length === 2);
    assert.deepEqual(found, [error, error]);
  });

  for (const [name, options, status] of [
    ['classify() that throws, with 500', { classify: fail }, 500],
    ['refuse() that throws, with 503', { refuse: fail, refuseAfter: { 'user-visible': 1 } }, 503],
    ['refuse() that rejects, with 503', {
      refuse: async (request, response) => {
        response.setHeader('Content-Length', 1);
        await undefined;
        fail();
      },
      refuseAfter: { 'user-visible': 1 },
    }, 503],
  ]) {
    it(`of a listener's server are answered: ${name}, and warned of once`, async () => {
      const warnings = [];
      const onWarning = (warning) => warnings.push(warning);
      process.on('warning', onWarning);
      const { ask, settled } = await start(() => assert.fail('it is admitted'), {
        refuseAfter: undefined, ...options,
      });
      const release = occupy();
      const answers = await Promise.all([ask('/'), ask('/'), ask('/')]);
      await release();
      assert.deepEqual(answers.map((each) => each.status), [status, status, status]);
      assert.deepEqual(settled, [false, false, false]);
      await until(() => warnings.length > 0);
      process.off('warning', onWarning);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0].message, /^(classify|refuse)\(\) of an admission .*: expected$/);
      assert.equal(warnings[0].code, 'UV_SCHEDULER_ADMISSION');
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
      const { ask, counts, settled } = await start(listener, {
        before: (request, response) => setTimeout(async () => {
          await until(() => settled.length > 0);
          response.destroy();
        }),
      });
      await assert.rejects(ask('/'));
      assert.deepEqual(settled, [error]);
      assert.equal(counts()['user-visible'].admitted, 1);
      await drain();
    });
  }

  it('of the listener of a server with captureRejections are answered 500', async () => {
    const { handler } = createAdmission();
    events.captureRejections = true;
    const server = http.createServer(handler(fail));
    events.captureRejections = false;
    const port = await listen(server);
    assert.equal((await ask(port)).status, 500);
  });
});
