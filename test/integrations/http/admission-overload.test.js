'use strict';

// An admission in overload: who waits and who is refused, when drain() is done, and the sections of
// React pages.

const assert = require('node:assert/strict');
const { renderToPipeableStream } = require('react-dom/server');
const { drain, scheduler, shouldYield } = require('../../..');
const { besideClients, closeAll, occupy, start, until } = require('../../helpers/admission.js');
const { LIMIT } = require('../../helpers/programs.js');
const { page, sections } = require('../../helpers/react.js');
const { PRIORITIES, busy } = require('../../helpers/tasks.js');

const CLIENTS = 60;

afterEach(closeAll);

// The sum of a count over all priorities.
function total(counts, of) {
  return Object.values(counts).reduce((sum, each) => sum + of(each), 0);
}

// Blocks the thread so long that the gate closes, and other requests wait.
const slow = (request, response) => {
  busy(5);
  response.end();
};

describe('in overload', () => {
  it('drain() is done when all who wait were served or refused', async () => {
    const { ask, counts } = await start(slow);
    const answers = Array.from({ length: CLIENTS }, (_, i) => ask(`/${PRIORITIES[1 + (i % 2)]}`));
    await until(() => counts()['user-visible'].admitted > 0);
    await drain();
    assert.equal(total(counts(), ({ queued }) => queued), 0);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.ok(statuses.every((status) => status === 200 || status === 503), statuses.join());
    assert.equal(statuses.filter((status) => status === 200).length,
      total(counts(), ({ admitted }) => admitted));
  });

  it('probes are all answered, if they are classified as user-blocking', async () => {
    const { ask, counts } = await start(slow, { refuseAfter: { 'user-visible': 50 } });
    const isEnough = () => counts()['user-visible'].refused.wait > CLIENTS;
    await besideClients(CLIENTS, () => ask('/user-visible'), isEnough, async () => {
      for (let i = 0; i < 20; i++) assert.equal((await ask('/user-blocking')).status, 200);
    });
  }).timeout(LIMIT);

  it('a line is refused at its own bound, and waits without one until it gets a turn', async () => {
    const refuseAfter = { 'user-visible': 20, 'background': Infinity };
    const { ask, counts } = await start(undefined, { refuseAfter });
    const release = occupy();
    const crawler = ask('/background');
    await until(() => counts().background.queued === 1);
    assert.equal((await ask('/user-visible')).status, 503);
    // More important ones are served meanwhile.
    assert.equal((await ask('/user-blocking')).status, 200);
    assert.equal(counts().background.queued, 1);
    await release();
    assert.equal((await crawler).status, 200);
  });

  it('a background loop that yields does not come before requests of its priority', async () => {
    const { ask, counts } = await start();
    let turns = 0;
    let isOver = false;
    const loop = scheduler.postTask(async () => {
      while (!isOver) {
        if (!shouldYield()) continue;
        turns++;
        await scheduler.yield();
      }
    }, { priority: 'background' });
    try {
      await until(() => turns > 10);
      for (let i = 0; i < 20; i++) {
        const answer = ask('/background');
        await until(() => counts().background.queued + counts().background.admitted > i);
        const arrived = turns;
        await until(() => counts().background.admitted > i);
        assert.ok(turns - arrived < 20, `${turns - arrived} turns of the loop`);
        assert.equal((await answer).status, 200);
      }
    } finally {
      isOver = true;
      await loop;
    }
  });
});

describe('React pages in sections', () => {
  // Answers with a page of so many sections, which take a time in ms each.
  function sendPage(count, time, response) {
    const element = page(count, (number) => {
      busy(time);
      return number;
    });
    const { pipe } = renderToPipeableStream(element, { onShellReady: () => pipe(response) });
  }

  it('end one after the other, while others wait', async () => {
    let begun = 0;
    let atFirstEnd;
    const { ask } = await start((_, response) => {
      begun++;
      response.on('finish', () => (atFirstEnd ??= begun));
      // On a slow machine a page of more thread time is no short one, and ends behind all others.
      sendPage(40, 0.1, response);
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/user-visible')));
    for (const { status, text } of answers) {
      assert.deepEqual([status, sections(text).length], [200, 40]);
    }
    // If all shared the thread, it would be twenty.
    assert.ok(atFirstEnd < 10, `${atFirstEnd} had begun when the first one ended`);
  });

  it('are refused where there are more than the server has time for', async () => {
    const refuseAfter = { 'user-visible': 20 };
    const { ask, counts } = await start((_, response) => sendPage(40, 0.5, response),
      { refuseAfter });
    const isEnough = () => counts()['user-visible'].refused.wait > CLIENTS;
    await besideClients(CLIENTS, () => ask('/user-visible'), isEnough);
  }).timeout(LIMIT);

  it('keep no request waiting until they end', async () => {
    const COUNT = 2000;
    let isDone = false;
    const { ask } = await start((request, response) => {
      if (request.url !== '/user-visible/long') return response.end('done');
      response.on('finish', () => (isDone = true));
      return sendPage(COUNT, 0.5, response);
    });
    const long = ask('/user-visible/long');
    for (let i = 0; i < 3; i++) assert.equal((await ask('/user-visible')).text, 'done');
    assert.equal(isDone, false);
    assert.equal(sections((await long).text).length, COUNT);
  });
});
