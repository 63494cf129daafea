'use strict';

// An admission in overload: what becomes of requests when the server is to end, when classify()
// takes long, and of a priority that gets no turn.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const { createInterface } = require('node:readline');
const { renderToPipeableStream } = require('react-dom/server');
const { drain, scheduler, shouldYield } = require('../../..');
const { createAdmission } = require('uv-scheduler/http');
const { ask, classify, closeAll, listen, occupy, until } = require('../../helpers/admission.js');
const { FIXTURES, LIMIT, nodes } = require('../../helpers/loop.js');
const { page, sections } = require('../../helpers/react.js');
const { busy, output } = require('../../helpers/tasks.js');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];
const CLIENTS = 60;
const LONG = 60_000;

let release = () => {};

async function start(options, listener = (request, response) => response.end(request.url)) {
  const admission = createAdmission({ classify, ...options });
  const port = await listen(http.createServer(admission.handler(listener)));
  return { ...admission, port };
}

afterEach(async () => {
  await release();
  release = () => {};
  await closeAll();
});

// The sum of a count over all priorities.
function total(counts, of) {
  return Object.values(counts).reduce((sum, each) => sum + of(each), 0);
}

const refusedOf = ({ refused }) => Object.values(refused).reduce((sum, count) => sum + count, 0);

describe('SIGTERM in overload', () => {
  for (const node of new Set([nodes.at(0), nodes.at(-1)])) {
    it(`ends the server when each request was served or refused, on ${node.version}`, async () => {
      const server = `${FIXTURES}/admitting-server.js`;
      const child = spawn(node.path, [server], { stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
        const port = Number((await lines.next()).value);
        const seen = { 200: 0, 503: 0, gone: 0 };
        let isOver = false;
        const client = async (_, i) => {
          while (!isOver) {
            try {
              seen[(await ask(port, `/${PRIORITIES[i % 3]}`)).status]++;
            } catch {
              // The server does not listen any more, or has not accepted the connection.
              seen.gone++;
              return;
            }
          }
        };
        const clients = Promise.all(Array.from({ length: CLIENTS }, client));
        await until(() => seen[200] > 20 && seen[503] > 20);
        child.kill('SIGTERM');
        const { value } = await lines.next();
        isOver = true;
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

describe('drain() in overload', () => {
  it('is done when all who wait were served or refused', async () => {
    const options = { refuseAfter: { 'user-visible': LONG } };
    const { port, counts } = await start(options, (request, response) => {
      // Blocks the thread so long that the gate closes, and other requests wait.
      busy(5);
      response.end();
    });
    const answers = Array.from({ length: CLIENTS }, (_, i) => {
      return ask(port, `/${PRIORITIES[1 + (i % 2)]}`);
    });
    await until(() => counts()['user-visible'].admitted > 0);
    await drain();
    for (const { queued } of Object.values(counts())) assert.equal(queued, 0);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.ok(statuses.every((status) => status === 200 || status === 503), statuses.join());
    assert.equal(statuses.filter((status) => status === 200).length,
      total(counts(), ({ admitted }) => admitted));
  });
});

describe('probes in overload', () => {
  it('are all answered, if they are classified as user-blocking', async () => {
    const { port, counts } = await start({ refuseAfter: { 'user-visible': 50 } }, (_, response) => {
      busy(5);
      response.end();
    });
    let isOver = false;
    const client = async () => {
      while (!isOver) await ask(port, '/user-visible');
    };
    const clients = Array.from({ length: CLIENTS }, client);
    await until(() => counts()['user-visible'].refused.wait > CLIENTS);
    for (let i = 0; i < 20; i++) assert.equal((await ask(port, '/user-blocking')).status, 200);
    isOver = true;
    await Promise.all(clients);
  }).timeout(LIMIT);
});

describe('a line in overload', () => {
  it('is refused at its own bound, whoever waits in another one', async () => {
    const refuseAfter = { 'user-visible': 20, 'background': 500 };
    const { port, counts } = await start({ refuseAfter });
    release = occupy();
    const crawler = ask(port, '/background');
    await until(() => counts().background.queued === 1);
    assert.equal((await ask(port, '/user-visible')).status, 503);
    assert.equal(counts().background.queued, 1);
    await release();
    assert.equal((await crawler).status, 200);
  });
});

describe('a background loop that yields', () => {
  it('does not come before requests of its priority', async () => {
    const { port, counts } = await start({ refuseAfter: { background: LONG } });
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
        const answer = ask(port, '/background');
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

describe('pages that are cut', () => {
  it('end one after the other, while others wait', async () => {
    // In a process of its own, where no other requests have taught how long one takes.
    const lines = await output(async (root) => {
      const http = require('node:http');
      const { once } = require('node:events');
      const { scheduler } = require(root);
      const { createAdmission } = require('uv-scheduler/http');
      const COUNT = 20;
      let open = 0;
      let come = 0;
      let start;
      const haveCome = new Promise((resolve) => {
        start = resolve;
      });
      const admission = createAdmission({ refuseAfter: { 'user-visible': Infinity } });
      const server = http.createServer(admission.handler(async (_, response) => {
        if (++come === COUNT) start();
        await haveCome;
        await scheduler.yield();
        open++;
        for (let i = 0; i < 40; i++) {
          const end = performance.now() + 0.1;
          while (performance.now() < end);
          await scheduler.yield();
        }
        console.log(open--);
        response.end();
      }));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${server.address().port}/`;
      await Promise.all(Array.from({ length: COUNT }, async () => (await fetch(url)).text()));
      server.close();
    });
    assert.equal(lines.length, 20);
    // If all shared the thread, there would be ten. A page of 4 ms during which the machine stands
    // still leaves the first level, and ends last.
    const median = lines.map(Number).sort((a, b) => a - b)[10];
    assert.ok(median < 5, `${lines} had begun when one of them ended`);
  });

  it('do not keep a request waiting for ever that has begun none', async () => {
    let isOver = false;
    const refuseAfter = { 'user-visible': LONG };
    const { port } = await start({ refuseAfter }, async (request, response) => {
      if (request.url !== '/user-visible/endless') return response.end('done');
      response.write('begun');
      while (!isOver) {
        busy(0.2);
        await scheduler.yield();
      }
      return response.end();
    });
    const endless = ask(port, '/user-visible/endless');
    for (let i = 0; i < 5; i++) assert.equal((await ask(port, '/user-visible')).text, 'done');
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
    const refuseAfter = { 'user-visible': LONG };
    let begun = 0;
    let atFirstEnd;
    const { port } = await start({ refuseAfter }, (_, response) => {
      begun++;
      response.on('finish', () => (atFirstEnd ??= begun));
      // On a slow machine a page of more thread time is no short one, and ends behind all others.
      sendPage(40, 0.1, response);
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(port, '/user-visible')));
    for (const { status, text } of answers) {
      assert.equal(status, 200);
      assert.equal(sections(text).length, 40);
    }
    // If all shared the thread, it would be twenty.
    assert.ok(atFirstEnd < 10, `${atFirstEnd} had begun when the first one ended`);
  });

  it('are refused where there are more than the server has time for', async () => {
    const refuseAfter = { 'user-visible': 20 };
    const { port, counts } = await start({ refuseAfter }, (_, response) => {
      sendPage(40, 0.5, response);
    });
    let isOver = false;
    const client = async () => {
      while (!isOver) await ask(port, '/user-visible');
    };
    const clients = Array.from({ length: CLIENTS }, client);
    await until(() => counts()['user-visible'].refused.wait > CLIENTS);
    isOver = true;
    await Promise.all(clients);
  }).timeout(LIMIT);

  it('keep no request waiting until they end', async () => {
    const COUNT = 4000;
    const refuseAfter = { 'user-visible': LONG };
    let isDone = false;
    const { port } = await start({ refuseAfter }, (request, response) => {
      if (request.url !== '/user-visible/long') return response.end('done');
      response.on('finish', () => (isDone = true));
      return sendPage(COUNT, 0.5, response);
    });
    const long = ask(port, '/user-visible/long');
    for (let i = 0; i < 5; i++) assert.equal((await ask(port, '/user-visible')).text, 'done');
    assert.equal(isDone, false);
    assert.equal(sections((await long).text).length, COUNT);
  });
});

describe('a classify() that takes long', () => {
  it('loses no request', async () => {
    const slow = (request) => {
      busy(20);
      return classify(request);
    };
    const { port, counts } = await start({ classify: slow });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => {
      return ask(port, `/${PRIORITIES[i % 3]}`);
    }));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(total(counts(), ({ admitted }) => admitted), 20);
  });
});

describe('a priority that gets no turn', () => {
  it('waits without a bound of its own, and is served when there is time', async () => {
    const { port, counts } = await start({ refuseAfter: { background: Infinity } });
    release = occupy();
    const waiting = ask(port, '/background');
    await until(() => counts().background.queued === 1);
    // More important ones are served meanwhile.
    assert.equal((await ask(port, '/user-blocking')).status, 200);
    assert.equal(counts().background.queued, 1);
    await release();
    assert.equal((await waiting).status, 200);
  });
});
