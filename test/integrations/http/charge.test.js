'use strict';

// Whose time: what requests are charged for outside of tasks, how keys share the thread by it, and
// that no more background requests begin than the thread finishes. On the clock of a test.

const assert = require('node:assert/strict');
const api = require('uv-scheduler');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { serve, useClock } = require('../../helpers/admission-clock.js');

const { scheduler } = api;
const { ledger } = api[Symbol.for('uv-scheduler.internal')];
const VISIBLE = 'user-visible';

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

  it('is charged when its code yields or posts, not behind the end of its response', async () => {
    const time = await timeAfter(async (request, response) => {
      clock.spend(1);
      await scheduler.yield();
      clock.spend(2);
      await scheduler.postTask(() => clock.spend(4), { signal: controllerFor(response).signal });
      response.end();
      clock.spend(8);
    });
    assert.equal(time, 7);
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

describe('keys of an admission, while both have more work than time', () => {
  const clock = useClock();

  it('start by the thread time that they have used, behind an await as well', async () => {
    const started = [];
    // The heavy one takes ten times as long.
    const { ask: visit } = serve(async (request, response) => {
      started.push(request.url);
      clock.spend(request.url === '/heavy' ? 40 : 4);
      response.end();
    }, { fairnessKey: ({ url }) => url });
    for (let i = 0; i < 40; i++) for (const url of ['/heavy', '/light']) visit(url);
    await clock.advance(1);
    // Up to the last request of the light one.
    const heavy = started.slice(0, started.lastIndexOf('/light')).filter((url) => url === '/heavy');
    assert.ok(heavy.length <= 6, `${heavy.length} heavy ones`);
  });
});

describe('background requests of an admission', () => {
  const clock = useClock();

  it('begin only as fast as the thread finishes them, behind an await as well', async () => {
    let running = 0;
    let most = 0;
    const { ask: visit } = serve(async (request, response) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      clock.spend(15);
      running--;
      response.end();
    }, { classify: () => 'background' });
    for (let i = 0; i < 200; i++) visit('/');
    await clock.advance(4000);
    assert.equal(running, 0);
    // Before the first one has ended, each is expected to take 5 ms.
    assert.ok(most <= 13, `${most} at once`);
  });
});
