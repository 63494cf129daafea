'use strict';

// The queues of an admission by themselves: their bound, how keys share the room of `maxRunning`,
// and what many keys cost. The clock of most tests is a number.

const assert = require('node:assert/strict');
const { Pace } = require('../../../integrations/http/admission/line.js');
const { Lines } = require('../../../integrations/http/admission/lines.js');
const { createAdmission } = require('uv-scheduler/http');
const { FakeResponse, until } = require('../../helpers/admission.js');
const { busy } = require('../../helpers/tasks.js');

const PRIORITY = 'user-visible';
const BOUND = 250;
const LONG = 1e6;

// Serves requests for a time in ms, at most `most` at a time. `arrivals(now, queues)` returns the
// requests that arrive: their [key, time, weight]. Returns by key the waits of the refused requests
// and of the others, and the time for which requests ran.
function serve(most, span, arrivals, bound = BOUND) {
  const seen = {};
  const of = (key) => (seen[key] ??= { refused: [], waits: [], time: 0 });
  let now = 0;
  const refuse = (request) => of(request.key).refused.push(now - request.arrivedAt);
  const lines = new Lines({ [PRIORITY]: bound, 'user-blocking': bound, 'background': bound },
    Infinity, refuse);
  const running = new Set();
  for (; now < span; now++) {
    for (const request of [...running]) {
      of(request.key).time++;
      if (now < request.end) continue;
      running.delete(request);
      lines.of(PRIORITY).settle(request, now);
    }
    for (const [key, time, weight] of arrivals(now, lines.of(PRIORITY))) {
      const request = { priority: PRIORITY, key, time, weight, arrivedAt: now };
      if (lines.arrive(request, now) !== undefined) refuse(request);
    }
    while (running.size < most && lines.of(PRIORITY).hasNext) {
      const request = lines.of(PRIORITY).next(now);
      if (lines.of(PRIORITY).start(request, now) !== undefined) {
        refuse(request);
        continue;
      }
      of(request.key).waits.push(now - request.arrivedAt);
      request.end = now + request.time;
      running.add(request);
    }
    lines.refuseLate(now);
  }
  return seen;
}

// `count` requests of a key at once.
const backlog = (key, count, time, weight) => new Array(count).fill([key, time, weight]);

describe('the bound of an admission', () => {
  it('is that of its priority, even if each request has a key of its own', () => {
    let keys = 0;
    const seen = Object.values(serve(1, 3000, () => [[`key-${keys++}`, 10]]));
    // Those that arrived before the overload was known have waited longer.
    const late = seen.slice(1000).flatMap(({ refused, waits }) => [...refused, ...waits]);
    assert.ok(late.length > 1500);
    assert.ok(Math.max(...late) <= BOUND + 1, `waited for ${Math.max(...late)} ms`);
  });

  it('refuses on arrival by the time since the oldest one, before any had a turn', () => {
    const bounds = { [PRIORITY]: 20, 'user-blocking': 20, 'background': 20 };
    const lines = new Lines(bounds, Infinity, () => {});
    const arrive = (now) => lines.arrive({ priority: PRIORITY, key: '' }, now);
    assert.equal(arrive(0), undefined);
    assert.equal(arrive(30), undefined);
    // Refuses the oldest one, and the other has waited for 11 ms.
    assert.equal(arrive(41), 'wait');
    const second = lines.of(PRIORITY).next(42);
    assert.equal(second.arrivedAt, 30);
    // A turn says more.
    assert.equal(lines.of(PRIORITY).start(second, 43), undefined);
    assert.equal(arrive(44), undefined);
  });

  describe('after some requests', () => {
    let lines;
    let queues;

    beforeEach(() => {
      const bounds = { [PRIORITY]: 20, 'user-blocking': 20, 'background': 20 };
      lines = new Lines(bounds, Infinity, () => {});
      queues = lines.of(PRIORITY);
    });

    const arrive = (key, now) => lines.arrive({ priority: PRIORITY, key }, now);
    const start = (now) => queues.start(queues.next(now), now);

    it('may be exceeded for as long again', () => {
      arrive('a', 0);
      assert.equal(start(30), undefined);
    });

    it('counts no longer when all were served in time', () => {
      arrive('a', 0);
      lines.refuseLate(41);
      assert.equal(queues.isOverloaded, true);
      arrive('a', 50);
      start(55);
      assert.equal(queues.isOverloaded, false);
    });

    it('is compared with the pace of a key, without the time in which nothing waited', () => {
      arrive('a', 0);
      start(5);
      queues.isOverloaded = true;
      assert.deepEqual([arrive('a', 1000), arrive('a', 1000)], [undefined, undefined]);
    });

    it('is compared with the pace of all for a new key, likewise', () => {
      arrive('a', 0);
      start(5);
      arrive('b', 1000);
      start(1005);
      queues.isOverloaded = true;
      assert.deepEqual([arrive('c', 1005), arrive('c', 1005)], [undefined, undefined]);
    });
  });

  it('is compared with the recent pace', () => {
    const pace = new Pace();
    let now = 0;
    for (let i = 0; i < 1000; i++) pace.note(now += 1);
    for (let i = 0; i < 60; i++) pace.note(now += 100);
    assert.ok(pace.mean > 50, `${pace.mean} ms`);
  });
});

describe('keys below maxRunning', () => {
  it('may use all of it alone', () => {
    const { one: { time } } = serve(4, 1000, (now) => (now === 0 ? backlog('one', 99, 50) : []),
      Infinity);
    assert.equal(time, 4 * 999);
  });

  it('share it by weight while others wait, however long their requests run', () => {
    const { light, heavy } = serve(4, 5000, (now) => (now === 0
      ? [...backlog('light', 100, 1000), ...backlog('heavy', 2000, 10, 3)]
      : []), Infinity);
    const ratio = heavy.time / light.time;
    assert.ok(ratio > 2 && ratio < 4, `${ratio}`);
  });

  it('make up for nothing when they had nothing that waited', () => {
    const bounds = { [PRIORITY]: LONG, 'user-blocking': LONG, 'background': LONG };
    const lines = new Lines(bounds, Infinity, () => {});
    const queues = lines.of(PRIORITY);
    const arrive = (key, now) => lines.arrive({ priority: PRIORITY, key }, now);
    for (const key of ['few', 'many', 'many', 'many']) {
      arrive(key, 0);
      queues.start(queues.next(0), 0);
    }
    for (const key of ['new', 'few']) arrive(key, 1000);
    assert.equal(queues.next(1000).key, 'new');
  });

  it('get the next room beside long streams of another one', () => {
    const { streams, pages } = serve(4, 5000, (now) => [
      ...(now === 0 ? backlog('streams', 3, 1000) : []),
      // They do not end at the same time.
      ...(now % 240 === 0 ? [['streams', 1000]] : []),
      ...(now % 40 === 0 ? [['pages', 20]] : []),
    ], Infinity);
    assert.ok(streams.waits.length > 10, `${streams.waits.length} streams`);
    assert.ok(pages.waits.length > 100, `${pages.waits.length} pages`);
    assert.ok(Math.max(...pages.waits) < 1000, `a page waited for ${Math.max(...pages.waits)} ms`);
  });

  it('get their share beside new ones that keep coming', () => {
    let keys = 0;
    const { old } = serve(1, 5000, (now, { keys: current }) => [
      ...(now === 0 ? backlog('old', 999, 10) : []),
      ...(current < 6 ? [[`key-${keys++}`, 10]] : []),
    ], Infinity);
    // Five others wait or run at each moment.
    assert.ok(old.time > 0.8 * (5000 / 6), `${old.time} ms`);
  });

  it('are refused as far as they exceed their share', () => {
    const { many, few } = serve(4, 5000, (now) => [
      ...backlog('many', 2, 10),
      ...(now % 10 === 0 ? [['few', 10]] : []),
    ]);
    assert.ok(many.refused.length > 5000, `${many.refused.length} refused`);
    assert.deepEqual(few.refused, []);
    assert.ok(Math.max(...few.waits) <= 20, `${Math.max(...few.waits)} ms`);
  });
});

describe('an admission with many keys', () => {
  // Resolves to the shortest time in ms of a hundred arrivals while so many keys wait.
  async function arrivalsBeside(count, isFull) {
    const { handler, counts } = createAdmission({
      fairnessKey: ({ key }) => key,
      maxQueued: isFull ? count : Infinity,
      maxRunning: 1,
      refuse() {},
      refuseAfter: { [PRIORITY]: Infinity },
    });
    const listener = handler(() => {});
    const responses = [];
    const ask = () => {
      const response = new FakeResponse({ key: `key-${responses.length}` });
      responses.push(response);
      listener(response.req, response);
    };
    ask();
    while (counts()[PRIORITY].running === 0) await new Promise(setImmediate);
    for (let i = 0; i < count; i++) ask();
    let shortest = Infinity;
    for (let round = 0; round < 10; round++) {
      const start = performance.now();
      for (let i = 0; i < 100; i++) ask();
      shortest = Math.min(shortest, performance.now() - start);
      await new Promise(setImmediate);
    }
    for (const response of responses.reverse()) response.end();
    assert.deepEqual([counts()[PRIORITY].running, counts()[PRIORITY].queued], [0, 0]);
    return shortest;
  }

  for (const [name, isFull] of [['accepts', false], ['refuses', true]]) {
    it(`${name} a request with a new key as fast as with few`, async () => {
      await arrivalsBeside(100, isFull);
      const few = await arrivalsBeside(100, isFull);
      const many = await arrivalsBeside(10_000, isFull);
      assert.ok(many < 4 * few + 1, `${many} and ${few} ms for a hundred arrivals`);
    });
  }

  // Resolves to a short one of twenty times in ms between two requests, each of which blocks the
  // thread while so many keys wait: a machine that stands still lengthens the others.
  async function pausesBeside(count) {
    let served = 0;
    let last;
    const pauses = [];
    const { handler } = createAdmission({
      fairnessKey: ({ key }) => key,
      refuseAfter: { [PRIORITY]: Infinity },
    });
    const listener = handler((_, response) => {
      if (pauses.length < 20) {
        if (last !== undefined) pauses.push(performance.now() - last);
        busy(2);
        last = performance.now();
      }
      served++;
      response.end();
    });
    for (let i = 0; i < count; i++) {
      const response = new FakeResponse({ key: `key-${i}` });
      listener(response.req, response);
    }
    await until(() => served === count);
    return pauses.sort((a, b) => a - b)[2];
  }

  it('goes on after a request that has blocked the thread as fast as with few', async () => {
    await pausesBeside(1000);
    const few = await pausesBeside(100);
    const many = await pausesBeside(4000);
    assert.ok(many < 4 * few + 1, `${many} and ${few} ms between two requests`);
  });

  it('keeps nothing of a key without requests', () => {
    const lines = new Lines({ [PRIORITY]: 1, 'user-blocking': 1, 'background': 1 }, 100, () => {});
    const all = Array.from({ length: 300 }, (_, i) => ({
      priority: PRIORITY, key: `key-${i}`,
    }));
    const accepted = all.filter((each) => lines.arrive(each, 0) === undefined);
    assert.equal(lines.of(PRIORITY).keys, 100);
    const begun = lines.of(PRIORITY).next(0);
    lines.of(PRIORITY).start(begun, 0);
    for (const each of accepted) if (each !== begun) lines.of(PRIORITY).remove(each, 1);
    assert.equal(lines.of(PRIORITY).keys, 1);
    lines.of(PRIORITY).settle(begun, 2);
    assert.equal(lines.of(PRIORITY).keys, 0);
  });
});
