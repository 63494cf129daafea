'use strict';

// Whose time: what requests are charged for outside of tasks, how keys share the thread by it, and
// that no more background requests begin than the thread finishes. On the clock of a test.

const assert = require('node:assert/strict');
const { scheduler } = require('uv-scheduler');
const { controllerFor } = require('uv-scheduler/http');
const { serve, useClock } = require('../../helpers/admission-clock.js');
const { ledger } = require('../../../lib/internal.js');

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

describe('callbacks that are followed', () => {
  const clock = useClock({ areReal: true });

  it('are charged to the requests that they belong to, whoever answers first', async () => {
    const unfollow = ledger.follow();
    const times = {};
    const answers = [];
    const { ask: visit, counts } = serve(async (request, response) => {
      await new Promise((resolve) => setImmediate(() => {
        if (request.url === '/background') clock.spend(40);
        resolve();
      }));
      answers.push(() => response.end());
      // The one that has computed nothing answers first.
      if (answers.length === 2) for (const answer of answers.reverse()) answer();
    }, { classify: ({ url }) => url.slice(1) });
    try {
      visit('/background');
      visit(`/${VISIBLE}`);
      while (counts().background.running + counts()[VISIBLE].running > 0 || answers.length < 2) {
        await clock.flush();
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      unfollow();
    }
    for (const name of ['background', VISIBLE]) times[name] = counts()[name].threadTime;
    assert.deepEqual(times, { 'background': 40, [VISIBLE]: 0 });
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
