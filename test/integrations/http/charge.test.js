'use strict';

// Whose time: what requests are charged for outside of tasks, how keys share the thread by it, and
// that no more background requests begin than the thread finishes. On the clock of a test.

const assert = require('node:assert/strict');
const { AsyncResource } = require('node:async_hooks');
const api = require('uv-scheduler');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { makeResponse, serve, useClock } = require('../../helpers/admission-clock.js');

const { scheduler } = api;
const { ledger, platform, watch } = api[Symbol.for('uv-scheduler.internal')];
const VISIBLE = 'user-visible';
const NOBODY = '(nobody)';

describe('the thread time of a request', () => {
  const clock = useClock();
  const timeAfter = async (listener) => {
    const { ask: visit, counts } = serve(listener);
    visit('/');
    await clock.advance(50);
    return counts()[VISIBLE].threadTime;
  };

  it('is that of its listener and of its code behind an await, and not of others', async () => {
    const time = await timeAfter(async (request, response) => {
      clock.spend(3);
      await new Promise((resolve) => setTimeout(resolve, 5));
      clock.spend(40);
      response.end();
    });
    assert.equal(time, 43);
  });

  it('is charged at each write of a stream', async () => {
    const times = [];
    const { ask: visit, counts } = serve(async (request, response) => {
      for (let i = 0; i < 3; i++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        clock.spend(4);
        response.write('more');
        times.push(counts()[VISIBLE].threadTime);
      }
      response.end();
    });
    visit('/');
    await clock.advance(50);
    assert.deepEqual(times, [4, 8, 12]);
  });

  it('is charged where its code calls the package', async () => {
    const shared = new api.SharedTask(() => {});
    const times = {};
    const { ask: visit, counts } = serve(async (request, response) => {
      const read = () => counts()[VISIBLE].threadTime;
      const { signal } = controllerFor(response);
      for (const [name, call] of Object.entries({
        yield: () => scheduler.yield(),
        postTask: () => scheduler.postTask(() => {}, { signal }),
        wait: () => scheduler.wait(1),
        join: shared.join,
        async pieces() {
          for await (const piece of api.pieces([1, 2])) assert.ok(piece);
        },
        shouldYield: api.shouldYield,
        currentTaskSignal: api.currentTaskSignal,
      })) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        const before = read();
        clock.spend(3);
        await call();
        times[name] = read() - before;
      }
      response.end();
    });
    visit('/');
    await clock.advance(50);
    assert.deepEqual(times, {
      yield: 3, postTask: 3, wait: 3, join: 3, pieces: 3, shouldYield: 3, currentTaskSignal: 3,
    });
  });

  it('does not include what its code does behind the end of its response', async () => {
    const time = await timeAfter(async (request, response) => {
      clock.spend(1);
      response.end();
      await scheduler.yield();
      clock.spend(8);
      await scheduler.yield();
    });
    assert.equal(time, 1);
  });

  it('is shown with its key, and the other time as that of nobody', async () => {
    const times = () => Object.fromEntries(watch.monitorTasks().keys.map(({ key, time }) => {
      return [key, Math.round(time)];
    }));
    const { [NOBODY]: before = 0 } = times();
    // Without an admission, and without a task.
    const response = makeResponse('/');
    const { signal } = controllerFor(response, { fairnessKey: 'tenant' });
    clock.spend(20);
    response.write('more');
    clock.spend(2);
    scheduler.wait(1000, { signal }).catch(() => {});
    clock.spend(30);
    // The begin of a task ends what runs outside.
    scheduler.postTask(() => clock.spend(5));
    await clock.flush();
    response.destroy();
    clock.spend(50);
    const { tenant, [NOBODY]: nobody } = times();
    assert.deepEqual({ tenant, nobody: nobody - before }, { tenant: 22, nobody: 30 });
  });
});

describe('a response whose request is charged', () => {
  const clock = useClock();

  it('may be named again when it has ended', async () => {
    const { ask: visit } = serve((request, response) => response.end());
    const response = visit('/');
    await clock.advance(50);
    for (let i = 0; i < 2; i++) assert.equal(controllerFor(response).signal.priority, VISIBLE);
  });

  it('has one request, also if an heir names it again', () => {
    const response = makeResponse('/');
    const heir = Object.create(response);
    const own = controllerFor(response, { fairnessKey: 'own' });
    assert.equal(controllerFor(heir, { fairnessKey: 'of the heir' }), own);
    clock.spend(7);
    heir.write('more');
    response.end();
    const names = ['own', 'of the heir'];
    const found = watch.monitorTasks().keys.filter(({ key }) => names.includes(key));
    assert.deepEqual(found.map(({ key, time }) => [key, Math.round(time)]), [['of the heir', 7]]);
  });

  it('may be written to by an heir, which another admission has admitted', async () => {
    const inner = createAdmission();
    const { ask: visit } = serve((request, response) => {
      const heir = Object.create(response);
      controllerFor(heir);
      return inner.admit(request, heir, () => {
        heir.write('more');
        response.end();
      });
    });
    const response = visit('/');
    await clock.advance(50);
    assert.equal(response.writableEnded, true);
  });
});

describe('callbacks that are followed', () => {
  const clock = useClock({ areReal: true });

  it('are charged to the requests that they belong to, whoever answers first', async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const unfollow = ledger.follow();
    let hasComputed = false;
    let hasAnswered = false;
    const { ask: visit, counts } = serve(async ({ url }, response) => {
      if (url === '/background') {
        await new Promise((resolve) => setImmediate(() => {
          clock.spend(40);
          hasComputed = true;
          resolve();
        }));
        while (!hasAnswered) await turn();
      } else {
        // Answers in the next callback behind the computing one.
        while (!hasComputed) await turn();
        hasAnswered = true;
      }
      response.end();
    }, { classify: ({ url }) => url.slice(1) });
    const responses = ['background', VISIBLE].map((name) => visit(`/${name}`));
    try {
      while (responses.some(({ writableEnded }) => !writableEnded)) {
        await clock.flush();
        await turn();
      }
    } finally {
      unfollow();
    }
    const times = ['background', VISIBLE].map((name) => counts()[name].threadTime);
    assert.deepEqual(times, [40, 0]);
  });
});

// A stand-in for the sampler of the thread: `take()` samples the running code.
function useSampler() {
  const [{ observers }] = watch.contexts();
  const { startSampler } = observers;
  const sampler = { started: 0, isBusy: false, isStopped: false, take() {} };
  beforeEach(() => {
    Object.assign(sampler, { started: 0, isStopped: false });
    observers.startSampler = (take) => {
      sampler.started++;
      sampler.take = take;
      return {
        setBusy: (isBusy) => (sampler.isBusy = isBusy),
        stop: () => (sampler.isStopped = true),
      };
    };
  });
  afterEach(() => {
    observers.startSampler = startSampler;
  });
  return sampler;
}

describe('the context of the running code', () => {
  const sampler = useSampler();
  // The ledger forgets its measurements.
  afterEach(() => clock.advance(5000));
  const clock = useClock({ areReal: true });
  const outside = new AsyncResource('Outside');
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  function compute(ms) {
    for (let left = ms; left > 0; left -= 20) {
      clock.spend(20);
      sampler.take();
    }
  }

  // The thread times of two requests that go on in one series of microtasks: the first calls
  // `one(response)`, and behind it `none()` has no context. The second calls `other()` at the begin
  // of the series, and is the first to end.
  async function timesOf({ one = () => {}, none = () => {}, other = () => {} }) {
    const unfollow = ledger.follow();
    let open;
    const opened = new Promise((resolve) => (open = resolve));
    let begun = 0;
    const { ask: visit, counts } = serve(async ({ url }, response) => {
      begun++;
      await opened;
      await (url === '/background' ? one(response) : other());
      if (url === '/background') await turn();
      response.end();
    }, { classify: ({ url }) => url.slice(1) });
    const responses = ['background', VISIBLE].map((name) => visit(`/${name}`));
    while (begun < 2) await clock.flush();
    sampler.take();
    opened.then(none);
    open();
    while (responses.some(({ writableEnded }) => !writableEnded)) {
      await turn();
      await clock.flush();
    }
    unfollow();
    await clock.flush();
    return ['background', VISIBLE].map((name) => counts()[name].threadTime);
  }

  // On Node 20 and 22, hooks know as much, and nothing is sampled.
  const sampled = (title, test) => {
    if (!platform.hooksSeePromises) it(title, test);
  };

  for (const [title, code, expected] of [
    ['is charged where another request answers first', { one: () => compute(40) }, [40, 0]],
    ['names nobody when its response has ended', {
      one(response) {
        response.end();
        compute(40);
      },
    }, [0, 40]],
    ['overrides nothing if it is that of no request', { none: () => compute(40) }, [0, 40]],
  ]) sampled(title, async () => assert.deepEqual(await timesOf(code), expected));

  it('is charged in a task that calls nothing', async () => {
    const one = () => scheduler.postTask(() => clock.spend(40));
    assert.deepEqual(await timesOf({ one }), [40, 0]);
  });

  sampled('is charged once, in the long run', async () => {
    // The one sample stands for 40 ms, of which the other request was charged 10.
    const first = await timesOf({
      one(response) {
        clock.spend(30);
        response.write('more');
        clock.spend(10);
        sampler.take();
      },
    });
    const next = await timesOf({ other: () => clock.spend(50) });
    assert.deepEqual([first, next], [[70, 0], [0, 20]]);
  });

  sampled('is read by one thread, which ends when it was not needed for a while', async () => {
    const { ask: visit } = serve(() => {});
    const seen = [];
    const see = () => seen.push([sampler.started, sampler.isBusy, sampler.isStopped]);
    ledger.follow()();
    const response = visit('/');
    await clock.flush();
    see();
    for (let i = 0; i < 2; i++) {
      const unfollow = ledger.follow();
      see();
      if (i === 1) response.end();
      await clock.advance(4999);
      see();
      unfollow();
    }
    await clock.advance(4999);
    see();
    await clock.advance(2);
    see();
    assert.deepEqual(seen, [
      [0, false, false], [1, true, false], [1, true, false], [1, true, false], [1, false, false],
      [1, false, false], [1, false, true],
    ]);
  });

  for (const [own, others, isLost] of [[400, 200, true], [500, 150, false], [200, 150, false]]) {
    it(`is ${isLost ? '' : 'not '}lost: ${own} ms of a request, ${others} of nobody`, async () => {
      const unfollow = ledger.follow();
      const { ask: visit } = serve((request, response) => {
        clock.spend(own);
        response.write('more');
      });
      const response = visit('/');
      await clock.flush();
      await outside.runInAsyncScope(() => turn().then(() => clock.spend(others)));
      // Short ones are those of the host.
      for (let i = 0; i < 100; i++) {
        await outside.runInAsyncScope(turn);
        clock.spend(0.9);
      }
      await turn();
      const found = ledger.isLost();
      response.end();
      unfollow();
      assert.equal(found, isLost);
    });
  }
});

describe('callbacks that are followed no more', () => {
  const clock = useClock({ areReal: true });

  it('are charged to no request whose callback has run before them', async () => {
    const unfollow = ledger.follow();
    let end;
    const ended = new Promise((resolve) => (end = resolve));
    const { ask: visit, counts } = serve((request, response) => void setImmediate(() => {
      unfollow();
      end(response);
    }));
    visit('/');
    await clock.flush();
    const response = await ended;
    await new Promise((resolve) => setImmediate(resolve));
    // The time of another callback, and the task behind it.
    scheduler.postTask(() => {});
    clock.spend(40);
    await clock.flush();
    response.end();
    await clock.flush();
    assert.equal(counts()[VISIBLE].threadTime, 0);
  });
});
