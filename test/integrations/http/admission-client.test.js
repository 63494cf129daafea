'use strict';

// The client of an admitted request: what its leaving ends, and what it does not; the request's own
// controller; and what is left of a request when its response has ended.

const assert = require('node:assert/strict');
const { EventEmitter, once } = require('node:events');
const http = require('node:http');
const http2 = require('node:http2');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const {
  TaskSignal, createScheduler, currentTaskSignal, drain, pieces, scheduler,
} = require('../../..');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { ask, classify, closeAll, listen, occupy, until } = require('../../helpers/admission.js');
const { output, effectivePriority } = require('../../helpers/tasks.js');

const PATIENT = { 'user-visible': 1e6, 'background': 1e6 };

afterEach(closeAll);

// Asks without ever reading the answer. Returns a function that leaves.
function visit(port, path = '/') {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return () => socket.resetAndDestroy();
}

// Starts a server whose listener is admitted. `settled` has what the promises of the listener's
// requests became.
async function start(listener, options = {}) {
  const admission = createAdmission({ classify, refuseAfter: PATIENT, ...options });
  const settled = [];
  const admitting = admission.handler(listener);
  const port = await listen(http.createServer((request, response) => {
    admitting(request, response).then(
      (wasRun) => settled.push(wasRun),
      (error) => settled.push(error),
    );
  }));
  return { ...admission, port, settled };
}

describe('when the client of an admitted request has left', () => {
  for (const [name, run] of [
    ['yield()', () => scheduler.yield()],
    ["yield({ signal: 'inherit' })", () => scheduler.yield({ signal: 'inherit' })],
    ["yield({ priority: 'inherit' })", () => scheduler.yield({ priority: 'inherit' })],
    ['wait()', () => scheduler.wait(1)],
    ['pieces()', async () => {
      for await (const each of pieces([1, 2, 3])) assert.ok(each);
    }],
    ['a task', () => scheduler.postTask(() => scheduler.yield())],
  ]) {
    it(`${name} goes on, as no code has named its signal`, async () => {
      let signal;
      let isDone = false;
      const { port, settled } = await start(async () => {
        signal = currentTaskSignal();
        while (!signal.aborted) await sleep(1);
        for (let i = 0; i < 3; i++) await run();
        isDone = true;
      });
      const leave = visit(port);
      await until(() => signal !== undefined);
      leave();
      await until(() => settled.length > 0);
      assert.deepEqual([isDone, settled], [true, [true]]);
    });
  }

  it('a result that requests share is there for the others', async () => {
    let load;
    const menu = async () => {
      for (let i = 0; i < 5; i++) {
        await sleep(2);
        await scheduler.yield();
      }
      return 'the menu';
    };
    const { port } = await start(async (request, response) => {
      load ??= menu();
      response.end(await load);
    });
    const leave = visit(port);
    await until(() => load !== undefined);
    leave();
    const { status, text } = await ask(port);
    assert.deepEqual([status, text], [200, 'the menu']);
  });

  for (const [name, use] of [
    ['pieces()', async (signal) => {
      for await (const each of pieces(endless(), { signal })) await each;
    }],
    ['yield()', async (signal) => {
      for (;;) await scheduler.yield({ signal });
    }],
    ['a task', (signal) => scheduler.postTask(async () => {
      for (;;) await scheduler.yield();
    }, { signal })],
    ['throwIfAborted()', async (signal) => {
      for (;;) {
        await sleep(1);
        signal.throwIfAborted();
      }
    }],
    // These reject with an error of their own, whose cause is the reason.
    ['a timer of Node', (signal) => sleep(1e6, undefined, { signal })],
    ['once() of Node', (signal) => once(new EventEmitter(), 'never', { signal })],
    ['a task that awaits a timer of Node', (signal) => scheduler.postTask(() => {
      return sleep(1e6, undefined, { signal });
    })],
  ]) {
    it(`${name} with currentTaskSignal() ends, and the handler's promise fulfils`, async () => {
      let isRunning = false;
      const { port, settled } = await start(async () => {
        await undefined;
        isRunning = true;
        await use(currentTaskSignal());
      });
      const leave = visit(port);
      await until(() => isRunning);
      leave();
      await until(() => settled.length > 0);
      assert.deepEqual(settled, [true]);
    });
  }

  it('an error of the listener other than its reason rejects as before', async () => {
    const error = new Error('expected');
    let signal;
    const { port, settled } = await start(async () => {
      signal = currentTaskSignal();
      while (!signal.aborted) await sleep(1);
      throw error;
    });
    const leave = visit(port);
    await until(() => signal !== undefined);
    leave();
    await until(() => settled.length > 0);
    assert.deepEqual(settled, [error]);
  });

  it('the task settles, so drain() ends, while the work goes on as user-visible', async () => {
    let found;
    let signal;
    let isDrained = false;
    const { port } = await start(async () => {
      signal = currentTaskSignal();
      while (!isDrained) await sleep(1);
      found = await effectivePriority((mark) => scheduler.yield().then(mark));
    });
    const leave = visit(port, '/background');
    await until(() => signal !== undefined);
    leave();
    await until(() => signal.aborted);
    await drain();
    isDrained = true;
    await until(() => found !== undefined);
    assert.equal(found, 3);
  });

  it('the process goes on, whatever the listener awaits', async () => {
    const lines = await output(serverOfLeavers);
    assert.deepEqual(lines, ['the listener failed', 'alive']);
  });
});

// Runs in a process of its own. No listener is there for unhandled rejections but one that must see
// a single error: that of the listener itself.
async function serverOfLeavers(root) {
  const http = require('node:http');
  const net = require('node:net');
  const { once } = require('node:events');
  const { setTimeout: sleep } = require('node:timers/promises');
  const { scheduler } = require(root);
  const { createAdmission } = require(`${root}/integrations/http/index.js`);
  let fail;
  const failed = new Promise((resolve) => (fail = resolve));
  process.on('unhandledRejection', ({ message }) => fail(console.log(message)));
  const listener = async (request, response) => {
    if (request.url === '/fail') throw new Error('the listener failed');
    for (let i = 0; i < 30; i++) {
      await sleep(1);
      await scheduler.yield();
    }
    response.end('a page');
  };
  const server = http.createServer(createAdmission().handler(listener)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const ask = async (path, delay) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await sleep(delay);
    socket.resetAndDestroy();
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => ask('/', 5 + i)));
  const failing = fetch(`http://127.0.0.1:${port}/fail`).catch(() => {});
  await failed;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  if ((await response.text()) === 'a page') console.log('alive');
  server.close();
  server.closeAllConnections();
  await failing;
}

function* endless() {
  for (;;) yield 1;
}

describe('currentTaskSignal()', () => {
  it('is undefined outside of tasks, and in tasks without a signal', async () => {
    assert.equal(currentTaskSignal(), undefined);
    assert.equal(await scheduler.postTask(() => currentTaskSignal()), undefined);
    const options = { priority: 'background' };
    assert.equal(await scheduler.postTask(() => currentTaskSignal(), options), undefined);
  });

  it('is the abort source of the scheduling state elsewhere, and none in timers', async () => {
    for (const each of [scheduler, createScheduler()]) {
      const { signal } = new AbortController();
      const found = await each.postTask(async () => {
        const inTimer = new Promise((resolve) => {
          setTimeout(() => resolve(currentTaskSignal()), 1);
        });
        const found = [currentTaskSignal()];
        await sleep(1);
        found.push(currentTaskSignal());
        await each.yield();
        found.push(currentTaskSignal(), await inTimer);
        return found;
      }, { signal });
      assert.deepEqual(found.map((each) => each === signal), [true, true, true, false]);
    }
  });

  it('is the TaskSignal of the client in a request, in all that it leads to', async () => {
    const other = new AbortController().signal;
    const found = [];
    const { port } = await start(async (request, response) => {
      const signal = currentTaskSignal();
      assert.ok(signal instanceof TaskSignal);
      assert.equal(signal, controllerFor(response).signal);
      const look = (expected = signal) => found.push(currentTaskSignal() === expected);
      await sleep(1);
      look();
      await new Promise((resolve) => {
        setTimeout(() => {
          look();
          resolve();
        }, 1);
      });
      for await (const chunk of request) look(chunk && signal);
      await scheduler.postTask(async () => {
        look();
        await sleep(1);
        look();
      }, { priority: 'background' });
      await scheduler.postTask(() => look(other), { signal: other });
      await scheduler.postTask(() => new Promise((resolve) => {
        // A timer is no part of the task with the other signal, and still one of the request.
        setTimeout(() => resolve(look()), 1);
      }), { signal: other });
      response.end();
    });
    await ask(port, '/background', { method: 'POST', body: 'body' });
    assert.deepEqual(found, Array(7).fill(true));
  });
});

describe('controllerFor() of an admitted request', () => {
  it('returns its own controller, with the priority and the signal of the request', async () => {
    const { port } = await start(async (request, response) => {
      const controller = controllerFor(response);
      assert.equal(controllerFor(response), controller);
      assert.equal(controller.signal.priority, 'background');
      assert.equal(controller.signal, currentTaskSignal());
      controller.setPriority('user-blocking');
      response.write(`${await effectivePriority((mark) => scheduler.yield().then(mark))}`);
      assert.equal(controllerFor(response, { priority: 'background' }), controller);
      assert.equal(controller.signal.priority, 'background');
      response.end();
    });
    assert.equal((await ask(port, '/background')).text, '5');
  });

  for (const [where, isWaiting] of [['runs', false], ['waits', true]]) {
    it(`ends a request that ${where}, as a time limit does`, async () => {
      let calls = 0;
      let reason;
      const { handler, counts } = createAdmission({ refuseAfter: PATIENT });
      const admitting = handler(async () => {
        calls++;
        const signal = currentTaskSignal();
        try {
          for (;;) await scheduler.yield({ signal });
        } catch (error) {
          reason = error;
          throw error;
        }
      });
      const limit = new DOMException('Too slow', 'TimeoutError');
      let result;
      const port = await listen(http.createServer((request, response) => {
        setTimeout(() => {
          controllerFor(response).abort(limit);
          response.writeHead(503).end('too slow');
        }, 10);
        result = admitting(request, response);
      }));
      const release = isWaiting ? occupy() : () => {};
      assert.equal((await ask(port)).text, 'too slow');
      await release();
      assert.equal(await result, !isWaiting);
      assert.equal(calls, isWaiting ? 0 : 1);
      assert.equal(reason, isWaiting ? undefined : limit);
      const { admitted, left, withdrawn, queued } = counts()['user-visible'];
      assert.deepEqual({ admitted, left, withdrawn, queued },
        { admitted: isWaiting ? 0 : 1, left: 0, withdrawn: isWaiting ? 1 : 0, queued: 0 });
      await drain();
    });
  }
});

describe('a request whose controller is aborted while it waits', () => {
  it('is not started', async () => {
    let calls = 0;
    let waiting;
    const { handler, counts } = createAdmission({ classify });
    const admitted = handler(() => calls++);
    const port = await listen(http.createServer((request, response) => {
      waiting = response;
      admitted(request, response);
    }));
    const release = occupy();
    const answer = ask(port, '/background');
    await until(() => counts().background.queued === 1);
    controllerFor(waiting).abort();
    await release();
    await until(() => counts().background.withdrawn === 1);
    waiting.end('aborted');
    assert.equal((await answer).text, 'aborted');
    assert.equal(calls, 0);
  });
});

describe('controllerFor() before the admission', () => {
  // The controller that a listener finds behind a middleware that has asked for it.
  async function found(options, classify) {
    let result;
    const { handler } = createAdmission({ classify });
    const listener = handler(async (request, response) => {
      const { made } = response.locals;
      const { signal } = made;
      result = { isSame: controllerFor(response) === made, priority: signal.priority };
      result.isCurrent = currentTaskSignal() === signal;
      if (request.url === '/') return response.end();
      for (;;) await scheduler.yield({ signal });
    });
    const port = await listen(http.createServer((request, response) => {
      const [made] = [options].flat().map((each) => controllerFor(response, each));
      response.locals = { made };
      listener(request, response);
    }));
    await ask(port);
    return { port, result };
  }

  it('returns the controller of the request, with the priority of its class', async () => {
    const { result } = await found(undefined, () => 'background');
    assert.deepEqual(result, { isSame: true, priority: 'background', isCurrent: true });
  });

  it('can set the priority', async () => {
    const { result } = await found({ priority: 'background' });
    assert.deepEqual(result, { isSame: true, priority: 'background', isCurrent: true });
  });

  it('can set the priority, and the key by a later call', async () => {
    const { result } = await found([{ priority: 'background' }, { fairnessKey: 'key' }]);
    assert.deepEqual(result, { isSame: true, priority: 'background', isCurrent: true });
  });

  it('ends the work of a client that has left, and no error is unhandled', async () => {
    const unhandled = [];
    const onUnhandled = (error) => unhandled.push(error);
    process.on('unhandledRejection', onUnhandled);
    try {
      const { port } = await found();
      const request = http.get({ port, path: '/endless' });
      request.on('error', () => {});
      await sleep(20);
      request.destroy();
      await drain({ priority: 'background' });
      await sleep(5);
      assert.deepEqual(unhandled, []);
    } finally {
      process.off('unhandledRejection', onUnhandled);
    }
  });
});

describe('a request that passes two admissions', () => {
  it('is counted by each one as that served or refused it', async () => {
    const inner = createAdmission({ classify, maxRunning: 1, refuseAfter: PATIENT });
    const running = [];
    const { counts, port, settled } = await start(inner.handler((request, response) => {
      running.push(response);
    }));
    const first = ask(port);
    await until(() => running.length === 1);
    const second = ask(port);
    await until(() => inner.counts()['user-visible'].queued === 1);
    const drained = drain({ priority: 'user-blocking' });
    assert.equal((await second).status, 503);
    running[0].end('first');
    assert.equal((await first).text, 'first');
    await drained;
    assert.deepEqual(settled, [true, true]);
    const figures = (each) => {
      const { admitted, refused: { draining }, left, running } = each()['user-visible'];
      return { admitted, draining, left, running };
    };
    assert.deepEqual(figures(counts), { admitted: 2, draining: 0, left: 0, running: 0 });
    assert.deepEqual(figures(inner.counts), { admitted: 1, draining: 1, left: 0, running: 0 });
  });
});

describe('after the response', () => {
  for (const [version, create] of [['1', http.createServer], ['2', http2.createServer]]) {
    it(`what a request has created first is user-visible, with HTTP/${version}`, async () => {
      const found = [];
      const { handler } = createAdmission({ classify: () => 'background' });
      let interval;
      const port = await listen(create(handler((request, response) => {
        interval ??= setInterval(async () => {
          found.push(await effectivePriority((mark) => scheduler.yield().then(mark)));
        }, 1);
        const ending = setInterval(() => {
          if (found.length === 0) return;
          clearInterval(ending);
          response.end();
        }, 1);
      })));
      if (version === '1') {
        await ask(port);
      } else {
        const client = http2.connect(`http://127.0.0.1:${port}`);
        await new Promise((resolve) => client.request().resume().on('close', resolve));
        client.destroy();
      }
      const before = found.length;
      await until(() => found.length > before + 3);
      clearInterval(interval);
      assert.equal(found[0], 1);
      assert.equal(found.at(-1), 3);
    });
  }

  it('the rest of a checkout is user-visible', async () => {
    const found = [];
    const { handler } = createAdmission({ classify: () => 'user-blocking' });
    const port = await listen(http.createServer(handler(async (request, response) => {
      const look = () => effectivePriority((mark) => scheduler.yield().then(mark));
      found.push(await look());
      response.end();
      while (!response.closed) await sleep(1);
      found.push(await look());
    })));
    await ask(port);
    await until(() => found.length === 2);
    assert.deepEqual(found, [5, 3]);
  });

  it('what a request has created keeps neither the request nor the response', async () => {
    const references = [];
    const intervals = [];
    const { handler } = createAdmission({ classify: () => 'background' });
    const port = await listen(http.createServer(handler((request, response) => {
      references.push(new WeakRef(request), new WeakRef(response));
      intervals.push(setInterval(() => {}, 1000));
      response.end();
    })));
    for (let i = 0; i < 20; i++) await ask(port);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    const isAlive = (each) => each.deref() !== undefined;
    // Node keeps the last ones.
    await until(() => {
      collect();
      return references.filter(isAlive).length <= 6;
    });
    intervals.forEach(clearInterval);
  });

  it('the priority of controllerFor() is user-visible, and can be set anew', async () => {
    let controller;
    const port = await listen(http.createServer((request, response) => {
      controller = controllerFor(response, { priority: 'background' });
      response.end();
      assert.equal(controller.signal.priority, 'background');
    }));
    await ask(port);
    await until(() => controller.signal.priority === 'user-visible');
    controller.setPriority('user-blocking');
    assert.equal(controller.signal.priority, 'user-blocking');
    assert.equal(controller.signal.aborted, false);
  });

  it('a priority change under way is waited for', async () => {
    let controller;
    const port = await listen(http.createServer((request, response) => {
      controller = controllerFor(response, { priority: 'background' });
      controller.signal.addEventListener('prioritychange', () => response.destroy());
      response.once('close', () => assert.equal(controller.signal.aborted, true));
      controller.setPriority('user-blocking');
      response.emit('close');
    }));
    await assert.rejects(ask(port));
    await until(() => controller.signal.priority === 'user-visible');
  });
});
