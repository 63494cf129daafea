'use strict';

// Requests that have begun: in any overload they go on to their end, and `maxRunning` bounds how
// many there are.

const assert = require('node:assert/strict');
const http = require('node:http');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');

const { createElement: h } = require('react');
const { renderToPipeableStream } = require('react-dom/server');

const { SharedTask, TaskSignal, currentTaskSignal, pieces, scheduler, shouldYield } =
  require('../../..');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { Scheduled } = require('uv-scheduler/react');
const { ask, classify, closeAll, listen, until } = require('../../helpers/admission.js');
const { busy } = require('../../helpers/tasks.js');

const LONG = 1e6;
const PATIENT = { 'user-blocking': LONG, 'user-visible': LONG, 'background': LONG };

afterEach(closeAll);

async function start(listener, options) {
  const admission = createAdmission({ classify, refuseAfter: PATIENT, ...options });
  const port = await listen(http.createServer(admission.handler(listener)));
  return { ...admission, port };
}

// Keeps the thread busy with user-visible work, until the returned function is called.
function rush() {
  let isOver = false;
  const work = async () => {
    while (!isOver) await scheduler.postTask(() => busy(1));
  };
  const rushes = [work(), work(), work()];
  return () => {
    isOver = true;
    return Promise.all(rushes);
  };
}

// A lock whose owner yields often.
class Lock {
  #last = Promise.resolve();

  hold(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

describe('maxWait of an admission', () => {
  for (const [name, work] of [
    ['yield()', async () => {
      for (let i = 0; i < 100; i++) await scheduler.yield();
    }],
    ['yield() with the signal', async (signal) => {
      for (let i = 0; i < 100; i++) await scheduler.yield({ signal });
    }],
    ['pieces() with the signal', async (signal) => {
      for await (const each of pieces(Array(100).keys(), { signal })) assert.ok(each >= 0);
    }],
    ['a signal that follows it', async (signal) => {
      const both = TaskSignal.any([signal], { priority: signal });
      for (let i = 0; i < 100; i++) await scheduler.yield({ signal: both });
    }],
    ['wait(), behind its delay', () => scheduler.wait(5)],
    ['a shared task that it awaits', () => new SharedTask(async () => {
      for (let i = 0; i < 100; i++) await scheduler.yield();
    }).join()],
    ['a shared task of a shared task', () => {
      const inner = new SharedTask(async () => {
        for (let i = 0; i < 100; i++) await scheduler.yield();
      });
      return new SharedTask(() => inner.join()).join();
    }],
    ['sections of a React page', () => new Promise((resolve) => {
      const sections = Array.from({ length: 20 }, (_, key) => h(Scheduled, { key }, key));
      renderToPipeableStream(h('main', null, sections), { onAllReady: resolve });
    })],
  ]) {
    it(`raises a request once its continuations have waited so long in sum: ${name}`, async () => {
      let stop = () => {};
      const { port, counts } = await start(async (request, response) => {
        // From here on nothing of the background has a turn.
        stop = rush();
        await work(currentTaskSignal());
        response.end('done');
      }, { maxWait: { background: 100 } });
      assert.equal((await ask(port, '/background')).text, 'done');
      await stop();
      assert.equal(counts().background.raised, 1);
    });
  }

  it('is 400 ms by default, so a lock of a crawler is free again in a rush', async () => {
    const lock = new Lock();
    let stop;
    const { port, counts } = await start((request, response) => lock.hold(async () => {
      stop ??= rush();
      for (let i = 0; i < 100; i++) await scheduler.yield();
      response.end(request.url);
    }));
    const crawlers = Array.from({ length: 5 }, () => ask(port, '/background'));
    await until(() => stop !== undefined);
    const { text } = await ask(port, '/user-blocking');
    assert.equal(text, '/user-blocking');
    await stop();
    await Promise.all(crawlers);
    assert.ok(counts().background.raised > 0);
  });

  it('counts neither what a request awaits nor a wait() before its end', async () => {
    const { port, counts } = await start(async (request, response) => {
      await sleep(150);
      await scheduler.wait(150);
      response.end('done');
    }, { maxWait: { background: 100 } });
    assert.equal((await ask(port, '/background')).text, 'done');
    assert.equal(counts().background.raised, 0);
  });

  it('counts each wait once', async () => {
    const { port, counts } = await start(async (request, response) => {
      setTimeout(rush(), 400);
      await scheduler.yield();
      response.end('done');
    }, { maxWait: { background: 2000 } });
    assert.equal((await ask(port, '/background')).text, 'done');
    assert.equal(counts().background.raised, 0);
  });

  it('counts the wait of one entry when another one has left', async () => {
    const { port, counts } = await start(async (request, response) => {
      const stop = rush();
      const other = new AbortController();
      const left = scheduler.yield({ signal: other.signal, priority: 'inherit' });
      const stays = scheduler.yield();
      other.abort();
      await assert.rejects(left, { name: 'AbortError' });
      await stays;
      response.end('done');
      await stop();
    }, { maxWait: { background: 50 } });
    assert.equal((await ask(port, '/background')).text, 'done');
    assert.equal(counts().background.raised, 1);
  });

  it('does not count a delay that is too long for a timer', async () => {
    const { port, counts } = await start(async (request, response) => {
      const controller = new AbortController();
      const { signal } = controller;
      const waited = scheduler.wait(2 ** 32, { signal, priority: 'inherit' });
      await sleep(200);
      controller.abort();
      await assert.rejects(waited, { name: 'AbortError' });
      response.end('done');
    }, { maxWait: { background: 50 } });
    assert.equal((await ask(port, '/background')).text, 'done');
    assert.equal(counts().background.raised, 0);
  });

  it('holds for tasks of the request that follow its priority', async () => {
    const { port, counts } = await start(async (request, response) => {
      const stop = rush();
      const { signal } = controllerFor(response);
      await scheduler.postTask(() => {}, { signal });
      response.end('done');
      await stop();
    }, { maxWait: { background: 50 } });
    assert.equal((await ask(port, '/background')).text, 'done');
    assert.equal(counts().background.raised, 1);
  });

  it('is turned off by Infinity', async () => {
    let stop;
    let hasGoneOn = false;
    const { port, counts } = await start(async (request, response) => {
      stop = rush();
      await scheduler.yield();
      hasGoneOn = true;
      response.end('done');
    }, { maxWait: { background: Infinity } });
    const answer = ask(port, '/background');
    await until(() => stop !== undefined);
    for (let i = 0; i < 50; i++) await turn();
    assert.equal(hasGoneOn, false);
    await stop();
    await answer;
    assert.equal(counts().background.raised, 0);
  });
});

describe('maxRunning', () => {
  it('bounds how many requests have begun, and the most important one begins next', async () => {
    const order = [];
    const held = [];
    const { port, counts } = await start((request, response) => {
      order.push(request.url);
      held.push(response);
    }, { maxRunning: 2 });
    const answers = ['/user-visible/1', '/user-visible/2'].map((path) => ask(port, path));
    await until(() => held.length === 2);
    answers.push(ask(port, '/background'));
    await until(() => counts().background.queued === 1);
    answers.push(ask(port, '/user-visible/3'));
    await until(() => counts()['user-visible'].queued === 1);
    // A user-blocking request may exceed the limit.
    answers.push(ask(port, '/user-blocking/1'));
    await until(() => held.length === 3);
    answers.push(ask(port, '/user-blocking/2'));
    await until(() => counts()['user-blocking'].queued === 1);
    assert.equal(Object.values(counts()).reduce((sum, { running }) => sum + running, 0), 3);
    for (let ended = 0; ended < answers.length; ended++) {
      await until(() => held.length > 0);
      held.shift().end('done');
    }
    for (const { text } of await Promise.all(answers)) assert.equal(text, 'done');
    assert.deepEqual(order, [
      '/user-visible/1', '/user-visible/2', '/user-blocking/1', '/user-blocking/2',
      '/user-visible/3', '/background',
    ]);
    assert.equal(Object.values(counts()).reduce((sum, { running }) => sum + running, 0), 0);
  });

  it('serves the important ones where a pool is the bottleneck', async () => {
    // Five connections, each of which takes 10 ms for a request.
    const waiting = [];
    let free = 5;
    const query = async () => {
      if (free === 0) await new Promise((resolve) => waiting.push(resolve));
      else free--;
      await sleep(10);
      if (waiting.length > 0) waiting.shift()();
      else free++;
    };
    const { port, counts } = await start(async (request, response) => {
      await query();
      response.end('done');
    }, { maxRunning: 5, refuseAfter: { ...PATIENT, 'user-visible': 100 } });
    let isOver = false;
    const client = async () => {
      while (!isOver) await ask(port, '/user-visible');
    };
    const clients = Array.from({ length: 40 }, client);
    await until(() => counts()['user-visible'].admitted > 20);
    for (let i = 0; i < 20; i++) {
      const arrived = counts()['user-visible'].admitted;
      assert.equal((await ask(port, '/user-blocking')).status, 200);
      // Of those that waited before it, hardly any was served before.
      assert.ok(counts()['user-visible'].admitted - arrived < 40);
    }
    isOver = true;
    await Promise.all(clients);
  });

  it('lets pages go on that were begun', async () => {
    const { port } = await start(async (request, response) => {
      for await (const each of pieces(Array(20).keys())) {
        busy(1);
        if (shouldYield()) await scheduler.yield();
        response.write(`${each} `);
      }
      response.end('end');
    }, { maxRunning: 1 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(port, '/background')));
    for (const { text } of answers) assert.match(text, /19 end$/);
  });
});
