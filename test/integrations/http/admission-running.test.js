'use strict';

// Requests that have begun: in any overload they go on to their end, `maxRunning` bounds how many
// there are, and streams among them take turns with requests that wait.

const assert = require('node:assert/strict');
const { setTimeout: sleep } = require('node:timers/promises');
const { renderToPipeableStream } = require('react-dom/server');

const { SharedTask, TaskSignal, currentTaskSignal, pieces, scheduler } = require('../../..');
const { controllerFor } = require('uv-scheduler/http');
const { closeAll, occupy, rush, start, until } = require('../../helpers/admission.js');
const { LIMIT } = require('../../helpers/programs.js');
const { page } = require('../../helpers/react.js');

afterEach(closeAll);

async function yieldOften(options) {
  for (let i = 0; i < 100; i++) await scheduler.yield(options);
}

describe('maxWait of an admission', () => {
  // Asks for a background request that does `work` in a rush, with a bound in ms, and resolves to
  // how many requests were raised. If a request is raised, the rush goes on until it has ended.
  async function raisedBy(work, bound, rushes = rush) {
    let stop;
    const { ask, counts } = await start(async (request, response) => {
      stop = rushes();
      await work(currentTaskSignal(), response);
      response.end('done');
    }, { maxWait: { background: bound } });
    assert.equal((await ask('/background')).text, 'done');
    await stop?.();
    return counts().background.raised;
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
      assert.equal(await raisedBy(work, 50), 1);
    });
  }

  const noRush = () => undefined;
  const NOT_COUNTED = {
    'what a request awaits, nor a wait() before its end': [async () => {
      await sleep(150);
      await scheduler.wait(150);
    }, 100, noRush],
    'a wait where the bound is Infinity':
      [() => scheduler.yield(), Infinity, () => void setTimeout(rush(), 400)],
    'a wait twice': [() => scheduler.yield(), 2000, () => void setTimeout(rush(), 400)],
    'a delay that is too long for a timer': [async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const waited = scheduler.wait(2 ** 32, { signal, priority: 'inherit' });
      await sleep(200);
      controller.abort();
      await assert.rejects(waited, { name: 'AbortError' });
    }, 50, noRush],
  };
  for (const [what, given] of Object.entries(NOT_COUNTED)) {
    it(`does not count ${what}`, async () => assert.equal(await raisedBy(...given), 0));
  }

  it('is 400 ms by default', async () => {
    assert.equal(await raisedBy(() => yieldOften(), undefined), 1);
  });
});

describe('maxRunning', () => {
  it('bounds how many requests have begun, and the most important one begins next', async () => {
    const order = [];
    const held = [];
    const { ask, counts } = await start((request, response) => {
      order.push(request.url);
      held.push(response);
    }, { maxRunning: 2 });
    const running = () => Object.values(counts()).reduce((sum, each) => sum + each.running, 0);
    const answers = ['/user-visible/1', '/user-visible/2'].map((path) => ask(path));
    await until(() => held.length === 2);
    answers.push(ask('/background'));
    await until(() => counts().background.queued === 1);
    answers.push(ask('/user-visible/3'));
    await until(() => counts()['user-visible'].queued === 1);
    // A user-blocking request may exceed the limit.
    answers.push(ask('/user-blocking/1'));
    await until(() => held.length === 3);
    answers.push(ask('/user-blocking/2'));
    await until(() => counts()['user-blocking'].queued === 1);
    assert.equal(running(), 3);
    for (let ended = 0; ended < answers.length; ended++) {
      await until(() => held.length > 0);
      held.shift().end('done');
    }
    for (const { text } of await Promise.all(answers)) assert.equal(text, 'done');
    assert.deepEqual(order, [
      '/user-visible/1', '/user-visible/2', '/user-blocking/1', '/user-blocking/2',
      '/user-visible/3', '/background',
    ]);
    assert.equal(running(), 0);
  });
});

// If the machine stands still while a listener runs, the gate lets no request start for a moment,
// and streams overtake.
const TRIES = 20;

// Event i follows page i.
const EXPECTED = [0, 1, 2].flatMap((i) => [`/page-${i}`, `event-${i}`]);

// Resolves to the order in which pages and events start.
async function startsBesideStreams() {
  const starts = [];
  const streams = [];
  const { ask, counts } = await start((request, response) => {
    if (request.url !== '/stream') {
      starts.push(request.url);
      return response.end();
    }
    const signal = currentTaskSignal();
    streams.push((name) => scheduler.postTask(() => void starts.push(name), { signal }));
    return response.flushHeaders();
  });
  // The streams end with their connections.
  const get = (path) => ask(path).catch(() => {});
  for (const event of ['/stream', '/stream', '/stream']) get(event);
  await until(() => streams.length === 3);
  const free = occupy();
  const events = [];
  for (const [i, wake] of streams.entries()) {
    get(`/page-${i}`);
    await until(() => counts()['user-visible'].queued === i + 1);
    events.push(wake(`event-${i}`));
  }
  await free();
  await Promise.all(events);
  await until(() => starts.length === EXPECTED.length);
  await closeAll();
  return starts;
}

it('a request that waits goes before streams that awake after it, and behind others', async () => {
  let starts = [];
  for (let i = 0; i < TRIES && String(starts) !== String(EXPECTED); i++) {
    starts = await startsBesideStreams();
  }
  assert.deepEqual(starts, EXPECTED);
}).timeout(LIMIT);
