'use strict';

// An admission in overload: what becomes of requests when the server is to end, when classify()
// takes long, and of a priority that gets no turn.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { createInterface } = require('node:readline');
const { renderToPipeableStream } = require('react-dom/server');
const { drain, scheduler, shouldYield } = require('../../..');
const { ask, besideClients, classify, closeAll, occupy, start, until } =
  require('../../helpers/admission.js');
const { FIXTURES, LIMIT, endNodes } = require('../../helpers/loop.js');
const { page, sections } = require('../../helpers/react.js');
const { PRIORITIES, busy, output } = require('../../helpers/tasks.js');

const CLIENTS = 60;

afterEach(closeAll);

// The sum of a count over all priorities.
function total(counts, of) {
  return Object.values(counts).reduce((sum, each) => sum + of(each), 0);
}

const refusedOf = ({ refused }) => Object.values(refused).reduce((sum, count) => sum + count, 0);

describe('SIGTERM in overload', () => {
  for (const node of endNodes) {
    it(`ends the server when each request was served or refused, on ${node.version}`, async () => {
      const server = `${FIXTURES}/admitting-server.js`;
      const child = spawn(node.path, [server], { stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
        const port = Number((await lines.next()).value);
        const seen = { 200: 0, 503: 0 };
        const client = async (_, i) => {
          for (;;) {
            try {
              seen[(await ask(port, `/${PRIORITIES[i % 3]}`)).status]++;
            } catch {
              // The server does not listen any more, or has not accepted the connection.
              return;
            }
          }
        };
        const clients = Promise.all(Array.from({ length: CLIENTS }, client));
        await until(() => seen[200] > 20 && seen[503] > 20);
        child.kill('SIGTERM');
        const { value } = await lines.next();
        await clients;
        assert.deepEqual(await once(child, 'close'), [0, null]);
        const counts = JSON.parse(value);
        // Nothing was lost: who was admitted has a page, and who was refused an answer.
        assert.equal(total(counts, ({ admitted }) => admitted), seen[200]);
        assert.equal(total(counts, refusedOf), seen[503]);
        assert.equal(total(counts, ({ queued }) => queued), 0);
      } finally {
        child.kill('SIGKILL');
      }
    }).timeout(LIMIT);
  }
});

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

  it('a line is refused at its own bound, whoever waits in another one', async () => {
    const refuseAfter = { 'user-visible': 20, 'background': 500 };
    const { ask, counts } = await start(undefined, { refuseAfter });
    const release = occupy();
    const crawler = ask('/background');
    await until(() => counts().background.queued === 1);
    assert.equal((await ask('/user-visible')).status, 503);
    assert.equal(counts().background.queued, 1);
    await release();
    assert.equal((await crawler).status, 200);
  });

  it('a priority that gets no turn waits without a bound, and is served in the end', async () => {
    const { ask, counts } = await start(undefined, { refuseAfter: { background: Infinity } });
    const release = occupy();
    const waiting = ask('/background');
    await until(() => counts().background.queued === 1);
    // More important ones are served meanwhile.
    assert.equal((await ask('/user-blocking')).status, 200);
    assert.equal(counts().background.queued, 1);
    await release();
    assert.equal((await waiting).status, 200);
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

  it('a classify() that takes long loses no request', async () => {
    const { ask, counts } = await start(undefined, {
      refuseAfter: undefined,
      classify(request) {
        busy(20);
        return classify(request);
      },
    });
    const answers = Array.from({ length: 20 }, (_, i) => ask(`/${PRIORITIES[i % 3]}`));
    for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
    assert.equal(total(counts(), ({ admitted }) => admitted), 20);
  });
});

describe('pages that are cut', () => {
  it('end one after the other, while others wait', async () => {
    // In a process of its own, where no other requests have taught how long one takes.
    const lines = await output(async (root) => {
      const { scheduler: own } = require(root);
      const { closeAll: close, start: serve } = require(`${root}/test/helpers/admission.js`);
      const COUNT = 20;
      let open = 0;
      let come = 0;
      let begin;
      const haveCome = new Promise((resolve) => {
        begin = resolve;
      });
      const server = await serve(async (_, response) => {
        if (++come === COUNT) begin();
        await haveCome;
        await own.yield();
        open++;
        for (let i = 0; i < 40; i++) {
          const end = performance.now() + 0.1;
          while (performance.now() < end);
          await own.yield();
        }
        console.log(open--);
        response.end();
      });
      await Promise.all(Array.from({ length: COUNT }, () => server.ask('/')));
      await close();
    });
    assert.equal(lines.length, 20);
    // If all shared the thread, there would be ten. A page of 4 ms during which the machine stands
    // still leaves the first level, and ends last.
    const median = lines.map(Number).sort((a, b) => a - b)[10];
    assert.ok(median < 5, `${lines} had begun when one of them ended`);
  });

  it('do not keep a request waiting for ever that has begun none', async () => {
    let isOver = false;
    const { ask } = await start(async (request, response) => {
      if (request.url !== '/user-visible/endless') return response.end('done');
      response.write('begun');
      while (!isOver) {
        busy(0.2);
        await scheduler.yield();
      }
      return response.end();
    });
    const endless = ask('/user-visible/endless');
    for (let i = 0; i < 5; i++) assert.equal((await ask('/user-visible')).text, 'done');
    isOver = true;
    await endless;
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
