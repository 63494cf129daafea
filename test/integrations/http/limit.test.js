'use strict';

// The limit on the requests that have begun: what visitors of a server get below and above its
// capacity, by the kind of their work. On the clock of a test.

const assert = require('node:assert/strict');
const { scheduler } = require('uv-scheduler');
const { createTestScheduler } = require('uv-scheduler/testing');
const { leave, serve, sleep, useClock } = require('../../helpers/admission-clock.js');
const { simulate } = require('../../helpers/simulated-load.js');

const behind = (query, ms) => async ({ sleep, spend, number }) => {
  await sleep(query);
  spend(typeof ms === 'function' ? ms(number) : ms);
};

async function inPieces({ sleep, spend }) {
  await sleep(5);
  for (let i = 0; i < 5; i++) {
    spend(1);
    await scheduler.yield();
  }
}

// Each takes 5 ms of the thread on average.
const WORKS = {
  'behind a query of 5 ms': behind(5, 5),
  'behind a query of 50 ms': behind(50, 5),
  'of 1 and of 21 ms': behind(5, (number) => (number % 5 === 0 ? 21 : 1)),
  'in pieces behind a query': inPieces,
};

// Per second, with what it takes to read and to call.
const CAPACITY = 1000 / 5.22;

const visitors = (work, load) => [
  ['checkouts', 'user-blocking', 0.1],
  ['pages', 'user-visible', 0.7],
  ['crawlers', 'background', 0.2],
].map(([name, priority, part]) => ({ name, priority, work, perSecond: part * load * CAPACITY }));

const route = (name, perSecond, work) => ({ name, key: name, perSecond, work });

// The time in ms beyond a query in which all but one in a hundred get their answers.
const EARLY = 120;
const queryOf = (name) => (name.includes('50 ms') ? 50 : 5);

describe('an admission below the capacity', () => {
  for (const [name, work] of Object.entries(WORKS)) {
    it(`serves all who buy or read, early: work ${name}`, async () => {
      const { checkouts, pages } = await simulate(visitors(work, 0.8));
      for (const { served, p99 } of [checkouts, pages]) {
        assert.equal(served, 1);
        assert.ok(p99 < queryOf(name) + EARLY, `${p99} ms`);
      }
    });
  }

  it('lets all begin that wait for something else than the thread', async () => {
    const sources = [{ name: 'all', perSecond: 500, work: behind(300, 0.1) }];
    const { all } = await simulate(sources);
    assert.equal(all.served, 1);
    assert.ok(all.p99 < 310 && all.most > 150, `${all.p99} ms, ${all.most} at once`);
  });
});

describe('an admission at twice the capacity', () => {
  for (const [name, work] of Object.entries(WORKS)) {
    for (const share of [1, 0.6]) {
      const beside = share < 1 ? ', beside other processes' : '';
      it(`serves the important first, and nothing in vain: work ${name}${beside}`, async () => {
        const found = await simulate(visitors(work, 2 * share), { share });
        const { checkouts, pages, wanted } = found;
        assert.equal(checkouts.served, 1);
        assert.ok(checkouts.p99 < queryOf(name) + EARLY / share, `${checkouts.p99} ms`);
        assert.ok(pages.served > 0.45 && wanted > 0.98, `${pages.served}, ${wanted}`);
      });
    }
  }

  it('serves all other routes than the costly one, whose work is behind an await', async () => {
    const { home, post, list } = await simulate([
      route('home', 20, behind(5, 60)),
      route('post', 60, behind(5, 2)),
      route('list', 40, behind(0, 4)),
    ], { patience: 2000 });
    for (const { served, p50 } of [post, list]) {
      assert.equal(served, 1);
      assert.ok(p50 < EARLY, `${p50} ms`);
    }
    assert.ok(home.served > 0.5);
  });
});

describe('a request of an admission', () => {
  const clock = useClock();

  // Requests for each path take 15 ms behind a query, those of `/long` 60, but for `/leaves`, whose
  // clients leave before.
  // Returns the most that run at once for each of the paths, one after the other.
  async function mostOf(...paths) {
    let running = 0;
    let most;
    const { ask } = serve(async ({ url }, response) => {
      most = Math.max(most, ++running);
      await sleep(5);
      running--;
      if (url === '/leaves') return leave(response);
      clock.spend(url === '/long' ? 60 : 15);
      return response.end();
    });
    const all = [];
    for (const path of paths) {
      most = 0;
      for (let i = 0; i < 50; i++) ask(path);
      await clock.advance(5000);
      all.push(most);
    }
    return all;
  }

  for (const priority of ['user-blocking', 'user-visible', 'background']) {
    it(`begins when the thread has time for it: ${priority}`, async () => {
      // Before the first one has ended, each is expected to take 5 ms.
      assert.deepEqual(await mostOf(`/${priority}`, `/${priority}`), [6, 2]);
    });
  }

  it('begins while another one takes longer than the limit', async () => {
    assert.equal((await mostOf('/long', '/long', '/long')).at(-1), 2);
  });

  it('counts as short only if its client has stayed', async () => {
    const [, most] = await mostOf('/leaves', '/user-visible');
    assert.equal(most, 6);
  });

  it('that streams is expected to use what it uses in a second', async () => {
    const begun = [];
    const { ask } = serve(async (request, response) => {
      begun.push(clock.now);
      for (let i = 0; i < 40; i++) {
        await sleep(100);
        clock.spend(2);
        response.write('more');
      }
      response.end();
    });
    for (let i = 0; i < 2; i++) {
      for (let each = 0; each < 10; each++) ask('/');
      await clock.advance(6000);
    }
    assert.ok(begun.at(-1) - 6000 < 300, `${begun}`);
  });

  it('waits while the thread works for others', async () => {
    const begun = [];
    const { ask } = serve(async (request, response) => {
      begun.push(clock.now);
      await sleep(5);
      clock.spend(5);
      response.end();
    });
    // Other code takes four fifths of the time.
    const others = async () => {
      while (clock.now < 400) {
        clock.spend(8);
        scheduler.postTask(() => {});
        await sleep(2);
      }
    };
    others();
    for (let i = 0; i < 150; i++) ask('/');
    await clock.advance(1000);
    const count = begun.filter((time) => time < 400).length;
    assert.ok(count > 10 && count < 55, `${count}`);
  });

  it('waits while a more important one takes longer than expected', async () => {
    const begun = [];
    let most;
    const { ask } = serve(async ({ url }, response) => {
      begun.push(url);
      if (url === '/user-visible') await sleep(1000);
      for (let i = 0; url === '/user-blocking' && i < 25; i++) {
        clock.spend(8);
        await scheduler.postTask(() => {}, { delay: 1 });
      }
      most ??= begun.length;
      response.end();
    });
    ask('/user-blocking');
    for (let i = 0; i < 20; i++) ask('/user-visible');
    await clock.advance(2000);
    // The thread idles for 25 ms meanwhile, in which five of them fit.
    assert.deepEqual([most, begun.length], [6 + 5, 21]);
  });

  it('waits for no tasks that are less important', async () => {
    const begun = [];
    const { ask } = serve((request, response) => {
      begun.push(clock.now);
      clock.spend(5);
      response.end();
    });
    scheduler.postTask(async () => {
      while (clock.now < 400) {
        clock.spend(8);
        await scheduler.yield();
      }
    }, { priority: 'background' });
    for (let i = 0; i < 20; i++) ask('/');
    await clock.advance(1000);
    assert.ok(begun.at(-1) < 200, `${begun.at(-1)}`);
  });

  it('begins before the end of a long one of its priority', async () => {
    const log = [];
    const { ask } = serve(async ({ url }, response) => {
      for (let i = 0; url === '/long' && i < 30; i++) {
        clock.spend(2);
        await scheduler.yield();
      }
      log.push(url);
      response.end();
    });
    for (const url of ['/long', '/short']) ask(url);
    await clock.flush();
    assert.deepEqual(log, ['/short', '/long']);
  });

  it('begins in the background as well when the loop is never idle', async () => {
    const log = [];
    const { ask } = serve(({ url }, response) => {
      log.push(url);
      response.end();
    });
    const post = (count) => {
      clock.spend(2);
      if (count === 0) log.push('tasks');
      else scheduler.postTask(() => post(count - 1));
    };
    post(30);
    ask('/background');
    await clock.flush();
    assert.deepEqual(log, ['/background', 'tasks']);
  });

  it('begins beside less important ones that have begun', async () => {
    const begun = [];
    const { ask } = serve(({ url }, response) => {
      begun.push(url);
      setTimeout(() => response.end(), 5);
    });
    for (let i = 0; i < 10; i++) ask('/user-visible');
    await clock.flush();
    ask('/user-blocking');
    await clock.flush();
    assert.deepEqual([begun.length, begun.at(-1)], [7, '/user-blocking']);
    await clock.advance(100);
  });
});

describe('an admission that is older than a test', () => {
  it('serves the requests of the test', async () => {
    const { ask } = serve((request, response) => response.end());
    const test = createTestScheduler();
    const response = ask('/');
    await test.flush();
    assert.equal(response.writableEnded, true);
    test.stop();
  });
});
