'use strict';

// The client of an admitted request: what its leaving ends, and what it does not; the request's own
// controller; and what is left of a request when its response has ended.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { setTimeout: realSleep } = require('node:timers/promises');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const {
  TaskSignal, createScheduler, currentTaskSignal, drain, pieces, scheduler,
} = require('../../..');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { leave, makeResponse, serve, sleep, useClock } = require('../../helpers/admission-clock.js');
const { LONG, PATIENT, classify, closeAll, connect, start, until } =
  require('../../helpers/admission.js');
const { priorityOfYield } = require('../../helpers/tasks.js');

describe('when the client of an admitted request has left', () => {
  const test = useClock();

  // Lets a client leave while its request runs `use(signal)`. Resolves to what the promise of the
  // handler has become.
  async function leaveDuring(use, path = '/') {
    const { ask, settled } = serve(async () => {
      await undefined;
      await use(currentTaskSignal());
    });
    const response = ask(path);
    await test.flush();
    leave(response);
    await test.advance(10);
    return settled;
  }

  const aborted = (signal) => once(signal, 'abort');

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
    'yield() with currentTaskSignal()': [true, async (signal) => {
      await aborted(signal);
      await scheduler.yield({ signal });
    }],
    // Rejects with an error of its own, whose cause is the reason.
    'a timer of Node with currentTaskSignal()':
      [true, (signal) => realSleep(LONG, undefined, { signal })],
    'other errors of the listener': [error, async (signal) => {
      await aborted(signal);
      throw error;
    }],
  };
  it('all ends that has named its signal, and the promise of the handler fulfils', async () => {
    for (const [name, [expected, use]] of Object.entries(ENDS)) {
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
  afterEach(closeAll);

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
        await realSleep(1);
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
      await realSleep(1);
      look();
      await inTimer();
      request.resume().on('end', () => look());
      isReading = true;
      await once(request, 'end');
      await scheduler.postTask(async () => {
        look();
        await realSleep(1);
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
  const test = useClock();

  it('returns its own controller, with the priority and the signal of the request', async () => {
    let found;
    const { ask } = serve(async (request, response) => {
      const controller = controllerFor(response);
      assert.equal(controllerFor(response), controller);
      assert.equal(controller.signal.priority, 'background');
      assert.equal(controller.signal, currentTaskSignal());
      controller.setPriority('user-blocking');
      found = await priorityOfYield();
      assert.equal(controllerFor(response, { priority: 'background' }), controller);
      assert.equal(controller.signal.priority, 'background');
      response.end();
    });
    ask('/background');
    await test.flush();
    assert.equal(found, 5);
  });

  for (const [where, isWaiting] of [['runs', false], ['is aborted while it waits', true]]) {
    it(`ends a request that ${where}, as a time limit does`, async () => {
      const limit = new DOMException('Too slow', 'TimeoutError');
      const reasons = [];
      const { ask, counts, settled } = serve(async () => {
        const signal = currentTaskSignal();
        await scheduler.wait(LONG, { signal }).catch((error) => {
          reasons.push(error);
          throw error;
        });
      });
      const response = ask('/');
      if (!isWaiting) await test.flush();
      controllerFor(response).abort(limit);
      await test.flush();
      response.writeHead(503).end();
      await drain();
      assert.deepEqual([settled, reasons], isWaiting ? [[false], []] : [[true], [limit]]);
      const { admitted, left, withdrawn, queued } = counts()['user-visible'];
      const figures = [admitted, withdrawn, left, queued];
      assert.deepEqual(figures, isWaiting ? [0, 1, 0, 0] : [1, 0, 0, 0]);
    });
  }

  // The class of the request, and the options of each call before the admission.
  for (const [title, priority, options] of [
    ['has the priority of its class', 'background', [undefined]],
    ['can set the priority, and the key by a later call', undefined,
      [{ priority: 'background' }, { fairnessKey: 'key' }]],
  ]) {
    it(`before the admission, ${title}, and ends with the client`, async () => {
      const made = [];
      let found;
      const { ask, settled } = serve(async (request, response) => {
        const { signal } = made[0];
        found = [controllerFor(response) === made[0], signal.priority,
          currentTaskSignal() === signal];
        await scheduler.wait(LONG, { signal });
      }, {
        classify: () => priority,
        before: (_, response) => made.push(...options.map((each) => controllerFor(response, each))),
      });
      const response = ask('/');
      await test.flush();
      leave(response);
      await test.flush();
      assert.deepEqual([...found, ...settled], [true, 'background', true, true]);
    });
  }
});

it('a request of two admissions is counted by that which has served or refused it', async () => {
  const outer = createAdmission({ classify, refuseAfter: PATIENT });
  const inner = createAdmission({ classify, maxRunning: 1, refuseAfter: PATIENT });
  const running = [];
  const admit = outer.handler(inner.handler((request, response) => running.push(response)));
  const responses = ['/', '/'].map((path) => makeResponse(path));
  const settled = responses.map((response) => admit(response.req, response));
  await until(() => inner.counts()['user-visible'].queued === 1 && running.length === 1);
  const drained = drain({ keep: 'user-blocking' });
  running[0].end();
  await drained;
  assert.equal(responses[1].statusCode, 503);
  assert.deepEqual(await Promise.all(settled), [true, true]);
  const figures = [outer, inner].map(({ counts }) => {
    const { admitted, refused: { draining }, left, running } = counts()['user-visible'];
    return [admitted, draining, left, running];
  });
  assert.deepEqual(figures, [[2, 0, 0, 0], [1, 1, 0, 0]]);
});

describe('after the response', () => {
  const test = useClock();

  it('what a request has created is user-visible, or set anew', async () => {
    const found = [];
    let controller;
    const { ask } = serve(async (request, response) => {
      controller = controllerFor(response);
      for (const end of [() => {}, () => response.end(), () => {
        controller.setPriority('user-blocking');
      }]) {
        end();
        await sleep(1);
        found.push(await priorityOfYield());
      }
    });
    ask('/background');
    await test.advance(10);
    assert.deepEqual([...found, controller.signal.aborted], [1, 3, 5, false]);
  });

  it('what a request has created keeps neither the request nor the response', async () => {
    const references = [];
    const kept = [];
    const { ask } = serve((request, response) => {
      references.push(new WeakRef(request), new WeakRef(response));
      kept.push(setTimeout(() => {}, LONG));
      response.end();
    });
    for (let i = 0; i < 20; i++) ask('/background');
    await test.flush();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    // The last ones may be on the stack.
    const count = () => references.filter((each) => each.deref() !== undefined).length;
    for (collect(); count() > 6; collect()) await test.flush();
    kept.forEach(clearTimeout);
  });

  it('a priority change under way is waited for', async () => {
    const response = makeResponse('/');
    const controller = controllerFor(response, { priority: 'background' });
    controller.signal.addEventListener('prioritychange', () => leave(response));
    response.once('close', () => assert.equal(controller.signal.aborted, true));
    controller.setPriority('user-blocking');
    await test.flush();
    assert.equal(controller.signal.priority, 'user-visible');
  });
});
