'use strict';

// The client of an admitted request: what its leaving ends, and what it does not; the request's own
// controller; and what is left of a request when its response has ended.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const {
  TaskSignal, createScheduler, currentTaskSignal, drain, pieces, scheduler,
} = require('../../..');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { PATIENT, VERSIONS, ask, classify, closeAll, connect, listen, occupy, start, until } =
  require('../../helpers/admission.js');
const { priorityOfYield } = require('../../helpers/tasks.js');

afterEach(closeAll);

// Lets a client leave while its request runs `use(signal)`. Resolves when the handler's promise has
// settled, to what that became.
async function leaveDuring(use, path) {
  let isRunning = false;
  const { port, settled } = await start(async () => {
    await undefined;
    isRunning = true;
    await use(currentTaskSignal());
  });
  const socket = connect(port, `GET ${path ?? '/'} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await until(() => isRunning);
  socket.resetAndDestroy();
  await until(() => settled.length > 0);
  return settled;
}

const aborted = async (signal) => {
  while (!signal.aborted) await sleep(1);
};

describe('when the client of an admitted request has left', () => {
  const GOES_ON = {
    'yield()': () => scheduler.yield(),
    "yield({ signal: 'inherit' })": () => scheduler.yield({ signal: 'inherit' }),
    "yield({ priority: 'inherit' })": () => scheduler.yield({ priority: 'inherit' }),
    'wait()': () => scheduler.wait(1),
    async 'pieces()'() {
      for await (const each of pieces([1, 2, 3])) assert.ok(each);
    },
    'a task': () => scheduler.postTask(() => scheduler.yield()),
  };
  it('all goes on that has not named its signal', async () => {
    const done = [];
    const settled = await leaveDuring(async (signal) => {
      await aborted(signal);
      for (const [name, run] of Object.entries(GOES_ON)) {
        for (let i = 0; i < 3; i++) await run();
        done.push(name);
      }
    });
    assert.deepEqual([done, settled], [Object.keys(GOES_ON), [true]]);
  });

  const error = new Error('expected');
  // The listeners that end when their client leaves.
  const ENDS = {
    async 'yield() with currentTaskSignal()'(signal) {
      for (;;) await scheduler.yield({ signal });
    },
    // Rejects with an error of its own, whose cause is the reason.
    'a timer of Node with currentTaskSignal()': (signal) => sleep(1e6, undefined, { signal }),
    async 'other errors of the listener'(signal) {
      await aborted(signal);
      throw error;
    },
  };
  it('all ends that has named its signal, and the promise of the handler fulfils', async () => {
    for (const [name, use] of Object.entries(ENDS)) {
      const expected = name === 'other errors of the listener' ? error : true;
      assert.deepEqual(await leaveDuring(use), [expected], name);
    }
  });

  it('the task settles, so drain() ends, while the work goes on as user-visible', async () => {
    let found;
    await leaveDuring(async (signal) => {
      await aborted(signal);
      await drain();
      found = await priorityOfYield();
    }, '/background');
    assert.equal(found, 3);
  });
});

describe('currentTaskSignal()', () => {
  it('is the abort source of the scheduling state, and none in timers or elsewhere', async () => {
    assert.equal(currentTaskSignal(), undefined);
    assert.equal(await scheduler.postTask(currentTaskSignal), undefined);
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
        return [...found, currentTaskSignal(), await inTimer];
      }, { signal });
      assert.deepEqual(found, [signal, signal, signal, undefined]);
    }
  });

  it('is the TaskSignal of the client in a request, in all that it leads to', async () => {
    const other = new AbortController().signal;
    const found = [];
    let isReading = false;
    const { port } = await start(async (request, response) => {
      const signal = currentTaskSignal();
      assert.ok(signal instanceof TaskSignal);
      assert.equal(signal, controllerFor(response).signal);
      const look = (expected = signal) => found.push(currentTaskSignal() === expected);
      const inTimer = () => new Promise((resolve) => {
        setTimeout(() => resolve(look()), 1);
      });
      await sleep(1);
      look();
      await inTimer();
      request.resume().on('end', () => look());
      isReading = true;
      await once(request, 'end');
      await scheduler.postTask(async () => {
        look();
        await sleep(1);
        look();
      }, { priority: 'background' });
      await scheduler.postTask(() => look(other), { signal: other });
      // A timer is no part of the task with the other signal, and still one of the request.
      await scheduler.postTask(inTimer, { signal: other });
      response.end();
    });
    const head = 'POST /background HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n';
    const socket = connect(port, `${head}first`);
    await until(() => isReading);
    // The rest of the body comes in a callback of the connection.
    socket.write('last');
    await once(socket, 'data');
    assert.deepEqual(found, Array(7).fill(true));
  });
});

describe('controllerFor() of an admitted request', () => {
  it('returns its own controller, with the priority and the signal of the request', async () => {
    const { ask } = await start(async (request, response) => {
      const controller = controllerFor(response);
      assert.equal(controllerFor(response), controller);
      assert.equal(controller.signal.priority, 'background');
      assert.equal(controller.signal, currentTaskSignal());
      controller.setPriority('user-blocking');
      response.write(`${await priorityOfYield()}`);
      assert.equal(controllerFor(response, { priority: 'background' }), controller);
      assert.equal(controller.signal.priority, 'background');
      response.end();
    });
    assert.equal((await ask('/background')).text, '5');
  });

  for (const [where, isWaiting] of [['runs', false], ['is aborted while it waits', true]]) {
    it(`ends a request that ${where}, as a time limit does`, async () => {
      const limit = new DOMException('Too slow', 'TimeoutError');
      const reasons = [];
      const release = isWaiting ? occupy() : () => {};
      const { ask, counts, settled } = await start(async () => {
        const signal = currentTaskSignal();
        try {
          for (;;) await scheduler.yield({ signal });
        } catch (error) {
          reasons.push(error);
          throw error;
        }
      }, {
        before: (request, response) => setTimeout(async () => {
          controllerFor(response).abort(limit);
          await release();
          await until(() => settled.length === 1);
          response.writeHead(503).end('too slow');
        }, 10),
      });
      assert.equal((await ask('/')).text, 'too slow');
      assert.deepEqual([settled, reasons], isWaiting ? [[false], []] : [[true], [limit]]);
      const { admitted, left, withdrawn, queued } = counts()['user-visible'];
      const figures = [admitted, withdrawn, left, queued];
      assert.deepEqual(figures, isWaiting ? [0, 1, 0, 0] : [1, 0, 0, 0]);
      await drain();
    });
  }
});

describe('controllerFor() before the admission', () => {
  // The class of the request, and the options of each call before the admission.
  for (const [title, priority, options] of [
    ['has the priority of its class', 'background', [undefined]],
    ['can set the priority, and the key by a later call', undefined,
      [{ priority: 'background' }, { fairnessKey: 'key' }]],
  ]) {
    it(`is the controller of the request, which ${title}, and ends with its client`, async () => {
      const made = [];
      let found;
      const { port, settled } = await start(async (request, response) => {
        const { signal } = made[0];
        found = [controllerFor(response) === made[0], signal.priority,
          currentTaskSignal() === signal];
        for (;;) await scheduler.yield({ signal });
      }, {
        classify: () => priority,
        before: (_, response) => made.push(...options.map((each) => controllerFor(response, each))),
      });
      const socket = connect(port);
      await until(() => found !== undefined);
      socket.resetAndDestroy();
      await until(() => settled.length === 1);
      assert.deepEqual([...found, ...settled], [true, 'background', true, true]);
    });
  }
});

describe('a request that passes two admissions', () => {
  it('is counted by each one as that served or refused it', async () => {
    const inner = createAdmission({ classify, maxRunning: 1, refuseAfter: PATIENT });
    const running = [];
    const { counts, ask, settled } = await start(inner.handler((request, response) => {
      running.push(response);
    }));
    const first = ask('/');
    await until(() => running.length === 1);
    const second = ask('/');
    await until(() => inner.counts()['user-visible'].queued === 1);
    const drained = drain({ priority: 'user-blocking' });
    assert.equal((await second).status, 503);
    running[0].end('first');
    assert.equal((await first).text, 'first');
    await drained;
    assert.deepEqual(settled, [true, true]);
    const figures = [counts, inner.counts].map((each) => {
      const { admitted, refused: { draining }, left, running } = each()['user-visible'];
      return [admitted, draining, left, running];
    });
    assert.deepEqual(figures, [[2, 0, 0, 0], [1, 1, 0, 0]]);
  });
});

describe('after the response', () => {
  for (const [version, { create, ask }] of Object.entries(VERSIONS)) {
    it(`what a request has created is user-visible, or set anew, with ${version}`, async () => {
      const found = [];
      let interval;
      let controller;
      const { port } = await start(async (request, response) => {
        controller = controllerFor(response);
        interval = setInterval(async () => found.push(await priorityOfYield()), 1);
        while (found.length === 0) await sleep(1);
        response.end();
      }, { create });
      await ask(port, '/background');
      const before = found.length;
      await until(() => found.length > before + 3);
      assert.deepEqual([found[0], found.at(-1), controller.signal.aborted], [1, 3, false]);
      controller.setPriority('user-blocking');
      await until(() => found.at(-1) === 5);
      clearInterval(interval);
    });
  }

  it('what a request has created keeps neither the request nor the response', async () => {
    const references = [];
    const intervals = [];
    const { ask } = await start((request, response) => {
      references.push(new WeakRef(request), new WeakRef(response));
      intervals.push(setInterval(() => {}, 1000));
      response.end();
    });
    for (let i = 0; i < 20; i++) await ask('/background');
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    // Node keeps the last ones.
    await until(() => {
      collect();
      return references.filter((each) => each.deref() !== undefined).length <= 6;
    });
    intervals.forEach(clearInterval);
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
