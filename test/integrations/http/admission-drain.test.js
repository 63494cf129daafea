'use strict';

// An admission while drain() is under way: which requests it refuses, and that all which belongs to
// a request that has begun runs to its end.

const assert = require('node:assert/strict');
const { setTimeout: sleep } = require('node:timers/promises');

const { SharedTask, currentTaskSignal, drain, onIdle, scheduler } = require('../../..');
const { addIntake } = require('../../../integrations/internal.js');
const { controllerFor } = require('uv-scheduler/http');
const { LONG, closeAll, connect, deferred, occupy, spin, start, until } =
  require('../../helpers/admission.js');
const { busy } = require('../../helpers/tasks.js');

afterEach(closeAll);

// Asks for a path so many times, and waits until all of these are queued.
async function queue({ ask, counts }, priority, count = 1) {
  const answers = Array.from({ length: count }, () => ask(`/${priority}`));
  await until(() => counts()[priority].queued === count);
  return answers;
}

const statusesOf = async (answers) => (await Promise.all(answers)).map(({ status }) => status);

describe('drain()', () => {
  it('waits for admitted requests and those of its priority, and refuses the others', async () => {
    const held = [];
    const server = await start((request, response) => {
      if (request.url.endsWith('held')) held.push(response);
      else response.end('done');
    });
    const { ask, counts } = server;
    const admitted = ask('/user-visible/held');
    await until(() => held.length === 1);
    const release = occupy();
    const served = await queue(server, 'user-visible', 5);
    const waiting = await queue(server, 'background', 5);
    let isDrained = false;
    const drained = drain().finally(() => {
      isDrained = true;
    });
    assert.deepEqual(await statusesOf(waiting), Array(5).fill(503));
    assert.equal((await ask('/background')).status, 503);
    await release();
    assert.deepEqual(await statusesOf(served), Array(5).fill(200));
    // One that comes meanwhile.
    assert.equal((await ask('/user-visible')).text, 'done');
    assert.equal(isDrained, false);
    held[0].end('done');
    assert.equal((await admitted).text, 'done');
    assert.equal((await drained).aborted.background, 6);
    const { admitted: begun, queued, refused } = counts().background;
    assert.deepEqual([begun, queued, refused.draining], [0, 0, 6]);
  });

  it('refuses what still waits at its timeout, and aborts what has begun', async () => {
    let reason;
    const server = await start(async (request, response) => {
      const signal = currentTaskSignal();
      while (!signal.aborted) await sleep(1);
      ({ reason } = signal);
      response.end('ended early');
    });
    const begun = server.ask('/user-visible');
    await until(() => server.counts()['user-visible'].admitted === 1);
    occupy();
    const waiting = await queue(server, 'user-visible', 2);
    await drain({ timeout: 20 });
    assert.deepEqual(await statusesOf(waiting), [503, 503]);
    assert.equal((await begun).text, 'ended early');
    assert.match(reason.message, /drain\(\) timed out after 20 ms/);
  });

  it('lets all tasks of a request that has begun run, whatever their class', async () => {
    const done = [];
    const post = (name, options, work = () => {}) => scheduler.postTask(async () => {
      await work();
      done.push(name);
    }, { priority: 'background', ...options });
    const [begun, gone] = [deferred(), deferred()];
    const { ask } = await start(async (request, response) => {
      const early = [post('waiting'), post('delayed', { delay: 5 })];
      begun.resolve();
      await gone.promise;
      await Promise.all(early);
      await post('posted', {}, () => post('posted by a task'));
      await new SharedTask(async () => {
        for (let i = 0; i < 3; i++) await scheduler.yield();
        done.push('shared');
      }).join();
      response.end('all');
    });
    const answered = ask('/background');
    await begun.promise;
    const drained = drain();
    gone.resolve();
    assert.equal((await answered).text, 'all');
    await drained;
    assert.deepEqual(done.sort(), ['delayed', 'posted', 'posted by a task', 'shared', 'waiting']);
  });

  for (const [index, ends] of ['the first', 'the last'].entries()) {
    it(`lets a shared task run for others when ${ends} request that awaits it ends`, async () => {
      const given = deferred();
      const menu = new SharedTask(async () => {
        await given.promise;
        for (let i = 0; i < 3; i++) await scheduler.yield();
        return 'the menu';
      });
      const responses = [];
      const { ask } = await start(async (request, response) => {
        responses.push(response);
        const text = await menu.join();
        if (!response.writableEnded) response.end(text);
      });
      const answers = [];
      for (let i = 1; i <= 2; i++) {
        answers.push(ask('/background'));
        await until(() => responses.length === i);
      }
      const drained = drain();
      responses[index].end('early');
      await answers[index];
      given.resolve();
      const texts = (await Promise.all(answers)).map(({ text }) => text);
      assert.deepEqual(texts.sort(), ['early', 'the menu']);
      await drained;
    });
  }

  it('aborts the signals of requests that it refuses on arrival', async () => {
    const signals = [];
    const note = (response) => signals.push(controllerFor(response).signal);
    const { ask } = await start(undefined, {
      before: (request, response) => request.url.endsWith('early') && note(response),
      refuse(request, response) {
        note(response);
        response.end('refused');
      },
    });
    const held = deferred();
    const task = scheduler.postTask(() => held.promise);
    const drained = drain();
    for (const path of ['/background', '/background?early']) {
      assert.equal((await ask(path)).text, 'refused');
    }
    held.resolve();
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true, true]);
    await Promise.all([task, drained]);
  });

  it('rejects what a request has left behind when its response has ended', async () => {
    let left;
    const { ask } = await start((request, response) => {
      left = scheduler.postTask(() => {}, { priority: 'background', delay: LONG });
      left.catch(() => {});
      setTimeout(() => response.end('done'), 10);
    });
    const answered = ask('/background');
    await until(() => left !== undefined);
    const { aborted } = await drain();
    assert.equal((await answered).text, 'done');
    assert.equal(aborted.background, 1);
    await assert.rejects(left, /drain\(\) runs no tasks below/);
  });

  it('looks at what waits only when a request ends that may have left something', async () => {
    const held = [];
    const { ask } = await start((request, response) => held.push(response));
    const answers = ['/user-visible', '/background'].map((path) => ask(path));
    await until(() => held.length === 2);
    let looks = 0;
    addIntake({ size: 0, dispatch() {}, refuseForDrain: () => looks++ });
    const drained = drain();
    for (const response of held) response.end('done');
    await Promise.all([...answers, drained]);
    assert.equal(looks, 1);
  });
});

describe('onIdle()', () => {
  // More than have posted tasks.
  const MANY = 20;

  // No request starts until what arrived while the thread was blocked is accepted. The request that
  // has blocked it ends meanwhile, and the others have no tasks, as only one may run.
  it('waits for requests that wait without a task', async () => {
    let held;
    let admitted;
    const server = await start((request, response) => {
      if (held === undefined) {
        held = response;
        return;
      }
      if (server.counts()['user-visible'].queued > 0) {
        onIdle().then(() => ({ admitted } = server.counts()['user-visible']));
      }
      busy(20);
      response.end('done');
    }, { maxRunning: 1 });
    const first = server.ask('/user-visible');
    await until(() => held !== undefined);
    const answers = await queue(server, 'user-visible', MANY);
    held.end('done');
    assert.deepEqual(await statusesOf([first, ...answers]), Array(MANY + 1).fill(200));
    await until(() => admitted !== undefined);
    assert.equal(admitted, MANY + 1);
  });

  for (const [title, bound, end, count] of [
    ['whose clients have left', Infinity, (client) => client.destroy(), ({ left }) => left],
    ['that are refused', 20, () => {}, ({ refused }) => refused.wait],
  ]) {
    it(`does not wait for requests ${title}`, async () => {
      const { port, counts } = await start(undefined, { refuseAfter: { background: bound } });
      spin();
      const clients = Array.from({ length: MANY }, () => {
        return connect(port, 'GET /background HTTP/1.1\r\nHost: a\r\n\r\n');
      });
      await until(() => counts().background.queued === MANY);
      const idle = onIdle();
      clients.forEach(end);
      await idle;
      assert.equal(count(counts().background), MANY);
    });
  }
});
