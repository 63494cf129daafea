'use strict';

// An admission while drain() is under way: which requests it refuses, and that all which belongs to
// a request that has begun runs to its end.

const assert = require('node:assert/strict');

const { SharedTask, currentTaskSignal, drain, onIdle, scheduler } = require('../../..');
const { addIntake } = require('../../../integrations/internal.js');
const { setTurn } = require('../../../lib/loop/time.js');
const { controllerFor } = require('uv-scheduler/http');
const { serve, sleep, useClock } = require('../../helpers/admission-clock.js');
const { LONG, deferred } = require('../../helpers/admission.js');

const statusesOf = (responses) => responses.map(({ statusCode }) => statusCode);
const hasEnded = ({ writableEnded }) => writableEnded;

describe('drain()', () => {
  const test = useClock();

  it('waits for admitted requests and those of its priority, and refuses the others', async () => {
    const held = [];
    const { ask, counts } = serve((request, response) => {
      if (request.url.endsWith('held')) held.push(response);
      else response.end();
    });
    ask('/user-visible/held');
    await test.flush();
    const several = (priority) => [1, 2, 3].map(() => ask(`/${priority}`));
    const [served, waiting] = ['user-visible', 'background'].map(several);
    let isDrained = false;
    const drained = drain().finally(() => {
      isDrained = true;
    });
    waiting.push(ask('/background'));
    assert.deepEqual(statusesOf(waiting), Array(4).fill(503));
    // One that comes meanwhile.
    served.push(ask('/user-visible'));
    await test.flush();
    assert.deepEqual([statusesOf(served), served.every(hasEnded)], [Array(4).fill(200), true]);
    assert.equal(isDrained, false);
    held[0].end();
    await test.flush();
    assert.equal((await drained).aborted.background, 4);
    const { admitted: begun, queued, refused } = counts().background;
    assert.deepEqual([begun, queued, refused.draining], [0, 0, 4]);
  });

  it('refuses what still waits at its timeout, and aborts what has begun', async () => {
    let reason;
    const { ask } = serve(async (request, response) => {
      const signal = currentTaskSignal();
      signal.addEventListener('abort', () => {
        ({ reason } = signal);
        response.end();
      });
    }, { maxRunning: 1 });
    const responses = ['/user-visible', '/user-visible', '/user-visible'].map((path) => ask(path));
    const drained = drain({ timeout: 20 });
    await test.advance(19);
    assert.deepEqual(responses.filter(hasEnded), []);
    await test.advance(1);
    await drained;
    assert.deepEqual(statusesOf(responses), [200, 503, 503]);
    assert.match(reason.message, /drain\(\) timed out after 20 ms/);
  });

  it('lets all tasks of a request that has begun run, whatever their class', async () => {
    const done = [];
    const post = (name, options, work = () => {}) => scheduler.postTask(async () => {
      await work();
      done.push(name);
    }, { priority: 'background', ...options });
    const gone = deferred();
    const { ask } = serve(async (request, response) => {
      const early = [post('waiting'), post('delayed', { delay: 5 })];
      await gone.promise;
      await Promise.all(early);
      await post('posted', {}, () => post('posted by a task'));
      await new SharedTask(async () => {
        for (let i = 0; i < 3; i++) await scheduler.yield();
        done.push('shared');
      }).join();
      response.end();
    });
    ask('/background');
    await test.flush();
    const drained = drain();
    gone.resolve();
    await test.advance(10);
    await drained;
    assert.deepEqual(done, ['waiting', 'delayed', 'posted by a task', 'posted', 'shared']);
  });

  for (const [index, ends] of ['the first', 'the last'].entries()) {
    it(`lets a shared task run for others when ${ends} request that awaits it ends`, async () => {
      const given = deferred();
      const menu = new SharedTask(async () => {
        await given.promise;
        for (let i = 0; i < 3; i++) await scheduler.yield();
        return 'the menu';
      });
      const texts = [];
      const { ask } = serve(async (request, response) => {
        texts.push(await menu.join());
        if (!response.writableEnded) response.end();
      });
      const responses = [ask('/background'), ask('/background')];
      await test.flush();
      const drained = drain();
      responses[index].end();
      given.resolve();
      await test.flush();
      await drained;
      assert.ok(texts.includes('the menu') && responses.every(hasEnded));
    });
  }

  it('aborts the signals of requests that it refuses on arrival', async () => {
    const signals = [];
    const note = (response) => signals.push(controllerFor(response).signal);
    const { ask } = serve(assert.fail, {
      before: ({ url }, response) => url.endsWith('early') && note(response),
      refuse(request, response) {
        note(response);
        response.end();
      },
    });
    const held = deferred();
    scheduler.postTask(() => held.promise);
    await test.flush();
    const drained = drain();
    for (const path of ['/background', '/background?early']) ask(path);
    held.resolve();
    await test.flush();
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true, true]);
    await drained;
  });

  it('rejects what a request has left behind when its response has ended', async () => {
    let left;
    const { ask } = serve(async (request, response) => {
      left = scheduler.postTask(() => {}, { priority: 'background', delay: LONG });
      left.catch(() => {});
      await sleep(10);
      response.end();
    });
    ask('/background');
    await test.flush();
    const drained = drain();
    await test.advance(10);
    assert.equal((await drained).aborted.background, 1);
    await assert.rejects(left, /drain\(\) runs no tasks below/);
  });

  it('looks at what waits only when a request ends that may have left something', async () => {
    const { ask } = serve(() => {});
    const responses = ['/user-visible', '/background'].map((path) => ask(path));
    await test.flush();
    let looks = 0;
    addIntake({ size: 0, refuseForDrain: () => looks++ });
    const drained = drain();
    for (const response of responses) response.end();
    await test.flush();
    await drained;
    assert.equal(looks, 1);
  });
});

describe('onIdle()', () => {
  const test = useClock();
  // More than have posted tasks.
  const MANY = 20;

  // In the pause behind a request that has blocked the thread, the others have none.
  it('waits for requests that wait without a task', async () => {
    const { ask, counts } = serve((request, response) => {
      test.spend(20);
      response.end();
    }, { maxRunning: 1 });
    for (let i = 0; i < MANY; i++) ask('/');
    const admitted = onIdle().then(() => counts()['user-visible'].admitted);
    await test.flush();
    assert.equal(await admitted, MANY);
  });

  for (const [what, bound, countOf, end] of [
    ['whose clients have left', LONG, ({ left }) => left, (response) => response.emit('close')],
    ['that are refused', 1, ({ refused }) => refused.wait, () => {}],
  ]) {
    it(`does not wait for requests ${what}`, async () => {
      const { ask, counts } = serve((request, response) => {
        test.spend(20);
        response.end();
        const responses = Array.from({ length: MANY }, () => ask('/background'));
        // Before the pause is over.
        setTurn(() => {
          responses.forEach(end);
          test.spend(10);
        });
      }, { refuseAfter: { background: bound } });
      ask('/user-visible');
      const idle = onIdle();
      await test.flush();
      await idle;
      assert.equal(countOf(counts().background), MANY);
    });
  }
});
