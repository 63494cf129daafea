'use strict';

// An admission while drain() is under way: which requests it refuses, and that all which belongs to
// a request that has begun runs to its end.

const assert = require('node:assert/strict');
const http = require('node:http');
const { Suspense, createElement } = require('react');
const { renderToPipeableStream } = require('react-dom/server');
const { setTimeout: sleep } = require('node:timers/promises');

const { SharedTask, currentTaskSignal, drain, onIdle, scheduler } = require('../../..');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { Scheduled } = require('uv-scheduler/react');
const { ask, classify, closeAll, listen, occupy, until } = require('../../helpers/admission.js');

const LONG = 1e6;
const PATIENT = { 'user-blocking': LONG, 'user-visible': LONG, 'background': LONG };

let release = () => {};

afterEach(async () => {
  await release();
  release = () => {};
  await closeAll();
});

async function start(listener) {
  const admission = createAdmission({ classify, refuseAfter: PATIENT });
  const port = await listen(http.createServer(admission.handler(listener)));
  return { ...admission, port };
}

const answer = (request, response) => response.end(request.url);

// Keeps background work waiting, and the loop turning, until the returned function is called.
function spin() {
  let isOver = false;
  const next = () => {
    if (!isOver) setImmediate(next);
  };
  next();
  return () => {
    isOver = true;
  };
}

describe('drain()', () => {
  it('waits for the responses of admitted requests, and refuses the others', async () => {
    const held = [];
    const { port, counts } = await start((request, response) => held.push(response));
    const admitted = ask(port, '/user-visible');
    await until(() => held.length === 1);
    release = occupy();
    const waiting = ask(port, '/background');
    await until(() => counts().background.queued === 1);
    let isDrained = false;
    const drained = drain().finally(() => {
      isDrained = true;
    });
    assert.equal((await waiting).status, 503);
    assert.equal(counts().background.refused.draining, 1);
    assert.equal((await ask(port, '/background')).status, 503);
    await release();
    assert.equal(isDrained, false);
    held[0].end('done');
    assert.equal((await admitted).text, 'done');
    assert.equal((await drained).aborted.background, 2);
  });

  it('refuses all requests below its priority before it is done, and starts none', async () => {
    let calls = 0;
    const { port, counts } = await start(() => calls++);
    release = spin();
    const answers = Array.from({ length: 5 }, () => ask(port, '/background'));
    await until(() => counts().background.queued === 5);
    const { aborted } = await drain();
    assert.equal(aborted.background, 5);
    assert.deepEqual([counts().background.queued, counts().background.refused.draining], [0, 5]);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.deepEqual(statuses, Array(5).fill(503));
    assert.equal(calls, 0);
  });

  it('serves requests of its priority that come meanwhile', async () => {
    const held = [];
    const { port } = await start((request, response) => {
      if (request.url.endsWith('held')) held.push(response);
      else response.end('done');
    });
    const first = ask(port, '/user-visible/held');
    await until(() => held.length === 1);
    const drained = drain();
    assert.equal((await ask(port, '/user-visible')).text, 'done');
    held[0].end();
    await Promise.all([first, drained]);
  });

  it('serves all others that wait before it is done', async () => {
    const { port, counts } = await start(answer);
    const occupied = occupy();
    const answers = Array.from({ length: 5 }, () => ask(port, '/user-visible'));
    await until(() => counts()['user-visible'].queued === 5);
    const drained = drain();
    await occupied();
    await drained;
    assert.equal(counts()['user-visible'].admitted, 5);
    for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
  });

  it('refuses what still waits at its timeout, and aborts what has begun', async () => {
    let reason;
    const { port, counts } = await start(async (request, response) => {
      const signal = currentTaskSignal();
      while (!signal.aborted) await sleep(1);
      ({ reason } = signal);
      response.end('ended early');
    });
    const begun = ask(port, '/user-visible');
    await until(() => counts()['user-visible'].admitted === 1);
    release = occupy();
    const waiting = [ask(port, '/user-visible'), ask(port, '/user-visible')];
    await until(() => counts()['user-visible'].queued === 2);
    await drain({ timeout: 20 });
    for (const { status } of await Promise.all(waiting)) assert.equal(status, 503);
    assert.equal((await begun).text, 'ended early');
    assert.match(reason.message, /drain\(\) timed out after 20 ms/);
  });

  for (const [name, Section] of [['<Scheduled>', Scheduled], ['<Suspense>', Suspense]]) {
    it(`lets a page of its background class end, with all sections in ${name}`, async () => {
      let third;
      const reached = new Promise((resolve) => (third = resolve));
      const Item = ({ i }) => {
        if (i === 3) third();
        return createElement('p', null, `section ${i}.`);
      };
      const sections = Array.from({ length: 10 }, (_, i) => {
        return createElement(Section, { key: i, fallback: '…' }, createElement(Item, { i }));
      });
      const { port } = await start((request, response) => {
        const page = createElement('main', null, ...sections);
        const { pipe } = renderToPipeableStream(page, { onShellReady: () => pipe(response) });
      });
      const answered = ask(port, '/background');
      await reached;
      await drain();
      const { status, text } = await answered;
      assert.equal(status, 200);
      assert.equal(text.match(/section \d/g).length, 10);
    });
  }

  it('lets the tasks of a request that has begun run, whatever their class', async () => {
    const done = [];
    let begin;
    const begun = new Promise((resolve) => (begin = resolve));
    let go;
    const gone = new Promise((resolve) => (go = resolve));
    const { port } = await start(async (request, response) => {
      const post = (name, options, work = () => {}) => scheduler.postTask(async () => {
        await work();
        done.push(name);
      }, options);
      const waiting = post('waiting', { priority: 'background' });
      const delayed = post('delayed', { priority: 'background', delay: 5 });
      begin();
      await gone;
      await Promise.all([waiting, delayed]);
      await post('posted', { priority: 'background' }, () => {
        return post('posted by a task', { priority: 'background' });
      });
      response.end('all');
    });
    const answered = ask(port, '/background');
    await begun;
    const drained = drain();
    go();
    assert.equal((await answered).text, 'all');
    await drained;
    assert.deepEqual(done.sort(), ['delayed', 'posted', 'posted by a task', 'waiting']);
  });

  it('lets a shared task run that a request which has begun awaits', async () => {
    const menu = new SharedTask(async () => {
      for (let i = 0; i < 3; i++) await scheduler.yield();
      return 'the menu';
    });
    let go;
    const gone = new Promise((resolve) => (go = resolve));
    let isBegun = false;
    const { port } = await start(async (request, response) => {
      isBegun = true;
      await gone;
      response.end(await menu.join());
    });
    const answered = ask(port, '/background');
    await until(() => isBegun);
    const drained = drain();
    go();
    assert.equal((await answered).text, 'the menu');
    await drained;
  });

  for (const ends of ['the first', 'the last']) {
    it(`lets a shared task run for others when ${ends} request that awaits it ends`, async () => {
      let isEnded = false;
      const menu = new SharedTask(async () => {
        while (!isEnded) await sleep(1);
        for (let i = 0; i < 3; i++) await scheduler.yield();
        return 'the menu';
      });
      const responses = [];
      const { port } = await start(async (request, response) => {
        responses.push(response);
        const text = await menu.join();
        if (!response.writableEnded) response.end(text);
      });
      const answers = [];
      for (let i = 1; i <= 2; i++) {
        answers.push(ask(port, '/background'));
        await until(() => responses.length === i);
      }
      const drained = drain();
      responses.at(ends === 'the first' ? 0 : 1).end('early');
      await answers[ends === 'the first' ? 0 : 1];
      release = spin();
      isEnded = true;
      await sleep(5);
      release();
      const texts = (await Promise.all(answers)).map(({ text }) => text);
      assert.deepEqual(texts.sort(), ['early', 'the menu']);
      await drained;
    });
  }

  it('aborts the signals of requests that it refuses on arrival', async () => {
    const signals = [];
    const { handler } = createAdmission({
      classify,
      refuseAfter: PATIENT,
      refuse(request, response) {
        signals.push(controllerFor(response).signal);
        response.end('refused');
      },
    });
    let early;
    const listener = handler(answer);
    const port = await listen(http.createServer((request, response) => {
      if (request.url.endsWith('early')) early = controllerFor(response).signal;
      listener(request, response);
    }));
    release = spin();
    const held = scheduler.postTask(() => sleep(100));
    const drained = drain();
    assert.equal((await ask(port, '/background')).text, 'refused');
    assert.equal((await ask(port, '/background?early')).text, 'refused');
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
    assert.equal(early.aborted, true);
    await Promise.all([held, drained]);
  });

  it('rejects what a request has left behind when its response has ended', async () => {
    let left;
    const { port } = await start((request, response) => {
      left = scheduler.postTask(() => {}, { priority: 'background', delay: LONG });
      left.catch(() => {});
      setTimeout(() => response.end('done'), 10);
    });
    const answered = ask(port, '/background');
    await until(() => left !== undefined);
    const { aborted } = await drain();
    assert.equal((await answered).text, 'done');
    assert.equal(aborted.background, 1);
    await assert.rejects(left, /drain\(\) runs no tasks below/);
  });
});

describe('onIdle()', () => {
  it('waits for requests that wait', async () => {
    const { port, counts } = await start(answer);
    const occupied = occupy();
    const answers = Array.from({ length: 3 }, () => ask(port, '/background'));
    await until(() => counts().background.queued === 3);
    const idle = onIdle();
    await occupied();
    await idle;
    assert.equal(counts().background.admitted, 3);
    await Promise.all(answers);
  });

  // Of two requests only the first one has a posted task.
  it('does not wait for requests whose clients have left', async () => {
    const { port, counts } = await start(answer);
    release = spin();
    const clients = Array.from({ length: 2 }, () => {
      return http.get({ port, host: '127.0.0.1', path: '/background' }).on('error', () => {});
    });
    await until(() => counts().background.queued === 2);
    const idle = onIdle();
    for (const client of clients) client.destroy();
    await idle;
    assert.equal(counts().background.left, 2);
  });

  it('does not wait for requests that are refused', async () => {
    const admission = createAdmission({ classify, refuseAfter: { background: 20 } });
    const port = await listen(http.createServer(admission.handler(answer)));
    release = spin();
    const answers = Array.from({ length: 2 }, () => ask(port, '/background'));
    await until(() => admission.counts().background.queued === 2);
    await onIdle();
    assert.equal(admission.counts().background.refused.wait, 2);
    await Promise.all(answers);
  });
});

describe('counts()', () => {
  it('is plain numbers in JSON', async () => {
    const { port, counts } = await start(answer);
    await ask(port, '/background');
    const { wait, ...others } = JSON.parse(JSON.stringify(counts())).background;
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
    assert.deepEqual(Object.keys(wait), [
      'count', 'sum', 'min', 'max', 'mean', 'buckets', 'percentiles',
    ]);
    assert.equal(wait.count, 1);
    for (const percentile of Object.values(wait.percentiles)) assert.ok(percentile > 0);
  });
});
