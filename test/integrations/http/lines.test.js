'use strict';

// The queues of an admission by themselves: their bound, how keys share the room of `maxRunning`,
// and what many keys cost. The clock is a number.

const assert = require('node:assert/strict');
const { mock } = require('node:test');
const { Line, Pace } = require('../../../integrations/http/admission/line.js');
const { Lines } = require('../../../integrations/http/admission/lines.js');

const PRIORITY = 'user-visible';
const BOUND = 250;
const LONG = 1e6;

let isLost = false;

// The lines of an admission with one bound for all priorities, and the queue of one of these.
function linesOf(bound, mostQueued = Infinity, refuse = () => {}, maxRunning = 1) {
  const bounds = { [PRIORITY]: bound, 'user-blocking': bound, 'background': bound };
  const options = { refuseAfter: bounds, adapting: {}, maxQueued: mostQueued, maxRunning };
  const lines = new Lines(options, refuse, () => isLost);
  const queue = lines.of(PRIORITY);
  const arrive = (key, now) => lines.arrive({ priority: PRIORITY, key }, now);
  const start = (now) => queue.start(queue.next(now), now);
  return { lines, queue, arrive, start };
}

// Serves requests for a time in ms, at most `most` at a time. `arrivals(now, queue)` returns the
// requests that arrive: their [key, time, weight]. Returns by key the waits of the refused requests
// and of the others, and the time for which requests ran.
function serve(most, span, arrivals, bound = Infinity, maxRunning = most) {
  const seen = {};
  const of = (key) => (seen[key] ??= { refused: [], waits: [], time: 0 });
  let now = 0;
  const refuse = (request) => of(request.key).refused.push(now - request.arrivedAt);
  const { lines, queue } = linesOf(bound, Infinity, refuse, maxRunning);
  const running = new Set();
  for (; now < span; now++) {
    for (const request of [...running]) {
      of(request.key).time++;
      request.used++;
      queue.charge(request, 1);
      if (now < request.end) continue;
      running.delete(request);
      queue.settle(request, now);
    }
    for (const [key, time, weight] of arrivals(now, queue)) {
      const request = { priority: PRIORITY, key, time, weight, arrivedAt: now, used: 0 };
      if (lines.arrive(request, now) !== undefined) refuse(request);
    }
    while (running.size < most && queue.hasNext) {
      const request = queue.next(now);
      if (queue.start(request, now) !== undefined) {
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

describe('a posted request', () => {
  it('is the next one among equal keys, however numbers are rounded', () => {
    const { lines, queue } = linesOf(LONG, Infinity, undefined, Infinity);
    const arrive = (key) => lines.arrive({ priority: PRIORITY, key, used: 0 }, 0);
    for (let i = 0; i < 200; i++) {
      arrive(`${i} a`);
      arrive(`${i} b`);
      const visit = queue.next(0);
      assert.ok(queue.isNext(visit, 0), `${i}`);
      for (const each of [visit, queue.next(0)]) {
        queue.start(each, 0);
        queue.charge(each, 0.1 * i);
        queue.settle(each, 0);
      }
    }
  });
});

describe('the bound of an admission', () => {
  it('is that of its priority, even if each request has a key of its own', () => {
    let keys = 0;
    const seen = Object.values(serve(1, 3000, () => [[`key-${keys++}`, 10]], BOUND));
    // Those that arrived before the overload was known have waited longer.
    const late = seen.slice(1000).flatMap(({ refused, waits }) => [...refused, ...waits]);
    assert.ok(late.length > 1500);
    assert.ok(Math.max(...late) <= BOUND + 1, `waited for ${Math.max(...late)} ms`);
  });

  it('refuses on arrival by the time since the oldest one, before any had a turn', () => {
    const { queue, arrive } = linesOf(20);
    assert.deepEqual([arrive('', 0), arrive('', 30)], [undefined, undefined]);
    // Refuses the oldest one, and the other has waited for 11 ms.
    assert.equal(arrive('', 41), 'wait');
    const second = queue.next(42);
    assert.equal(second.arrivedAt, 30);
    // A turn says more.
    assert.deepEqual([queue.start(second, 43), arrive('', 44)], [undefined, undefined]);
  });

  it('may be exceeded for as long again, and counts no longer when all were in time', () => {
    const { lines, queue, arrive, start } = linesOf(20);
    arrive('a', 0);
    assert.equal(start(30), undefined);
    arrive('a', 40);
    lines.refuseLate(81);
    assert.equal(queue.isOverloaded, true);
    arrive('a', 90);
    start(95);
    assert.equal(queue.isOverloaded, false);
  });

  it('is compared with the pace of a key, or of all, while something waited', () => {
    const { queue, arrive, start } = linesOf(20);
    arrive('a', 0);
    start(5);
    queue.isOverloaded = true;
    assert.deepEqual([arrive('a', 1000), arrive('a', 1000)], [undefined, undefined]);
    queue.isOverloaded = false;
    start(1005);
    start(1005);
    arrive('b', 2000);
    start(2005);
    queue.isOverloaded = true;
    // A new key has no pace of its own.
    assert.deepEqual([arrive('c', 2005), arrive('c', 2005)], [undefined, undefined]);
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
  it('share it by weight while others wait, however long their requests run', () => {
    const all = [...backlog('light', 100, 1000), ...backlog('heavy', 2000, 10, 3)];
    const { light, heavy } = serve(4, 5000, (now) => (now === 0 ? all : []));
    const ratio = heavy.time / light.time;
    assert.ok(ratio > 2 && ratio < 4, `${ratio}`);
  });

  it('make up for nothing when they had nothing that waited', () => {
    const { queue, arrive, start } = linesOf(LONG);
    for (const key of ['few', 'many', 'many', 'many']) {
      arrive(key, 0);
      start(0);
    }
    for (const key of ['new', 'few']) arrive(key, 1000);
    assert.equal(queue.next(1000).key, 'new');
  });

  it('get the next room beside long streams of another one', () => {
    const { streams, pages } = serve(4, 5000, (now) => [
      ...(now === 0 ? backlog('streams', 3, 1000) : []),
      // They do not end at the same time.
      ...(now % 240 === 0 ? [['streams', 1000]] : []),
      ...(now % 40 === 0 ? [['pages', 20]] : []),
    ]);
    assert.ok(streams.waits.length > 10, `${streams.waits.length} streams`);
    assert.ok(pages.waits.length > 100, `${pages.waits.length} pages`);
    assert.ok(Math.max(...pages.waits) < 1000, `a page waited for ${Math.max(...pages.waits)} ms`);
  });
});

describe('keys that share the thread', () => {
  // One asks for twice the thread, the other for a tenth of it.
  it('are refused only as far as they exceed their share', () => {
    const { heavy, light } = serve(1, 20_000, (now) => [
      ...now % 20 === 0 ? [['heavy', 40]] : [], ...now % 20 === 7 ? [['light', 2]] : [],
    ], 100, Infinity);
    assert.ok(heavy.refused.length > 400, `${heavy.refused.length} of the heavy ones`);
    assert.deepEqual(light.refused, []);
    assert.ok(Math.max(...light.waits) <= 80, `waits of ${Math.max(...light.waits)}`);
  });

  it('start by what they have used, also if a request of another one is posted', () => {
    const { queue, arrive } = linesOf(100, Infinity, () => {}, Infinity);
    for (const key of ['heavy', 'light', 'heavy']) arrive(key, 0);
    const [started] = [0, 1].map(() => {
      const visit = queue.next(0);
      queue.start(visit, 0);
      return visit;
    });
    queue.charge(started, 40);
    const posted = queue.next(40);
    assert.equal(queue.isNext(posted, 40), true);
    arrive('light', 41);
    assert.equal(queue.isNext(posted, 41), false);
    assert.equal(queue.isNext(queue.next(41), 41), true);
  });

  for (const [title, areLost, first, last] of [
    ['wait for twice the bound within their share, and else for the bound', false, [], ['light']],
    ['wait alike if the contexts of requests are lost', true, ['light'], []],
  ]) {
    it(title, () => {
      isLost = areLost;
      // The started request never ends.
      const refused = [];
      const note = ({ key }) => refused.push(key);
      const { queue, arrive, lines } = linesOf(100, Infinity, note, Infinity);
      for (const key of ['heavy', 'heavy']) arrive(key, 0);
      const started = queue.next(0);
      queue.start(started, 0);
      arrive('light', 50);
      queue.charge(started, 300);
      const expected = [];
      for (const [now, names] of [[200, []], [201, ['heavy', ...first]], [250, []], [251, last]]) {
        lines.refuseLate(now);
        expected.push(...names);
        assert.deepEqual(refused, expected, `at ${now}`);
      }
      isLost = false;
    });
  }
});

describe('an admission with many keys', () => {
  // How often lines are compared when a hundred requests with new keys arrive, after each of which
  // one is to be the next, and waits again, while so many keys wait.
  function looksBeside(count, mostQueued) {
    let keys = 0;
    const { queue, arrive } = linesOf(Infinity, mostQueued);
    const come = () => arrive(`key-${keys++}`, 0);
    for (let i = 0; i < count; i++) come();
    const looks = mock.method(Line.prototype, 'usedAfter');
    for (let i = 0; i < 100; i++) {
      come();
      queue.waitAgain(queue.next(0), 0);
    }
    looks.mock.restore();
    return looks.mock.callCount();
  }

  for (const [what, mostOf] of [['accepts', () => Infinity], ['refuses', (count) => count]]) {
    it(`${what} a request with a new key as with few`, () => {
      const [few, many] = [100, 10_000].map((count) => looksBeside(count, mostOf(count)));
      assert.ok(few > 0);
      assert.equal(many, few);
    });
  }

  it('keeps nothing of a key without requests', () => {
    const { lines, queue } = linesOf(1, 100);
    const all = Array.from({ length: 300 }, (_, i) => ({ priority: PRIORITY, key: `key-${i}` }));
    const accepted = all.filter((each) => lines.arrive(each, 0) === undefined);
    assert.equal(queue.keys, 100);
    const begun = queue.next(0);
    queue.start(begun, 0);
    for (const each of accepted) if (each !== begun) queue.remove(each, 1);
    assert.equal(queue.keys, 1);
    queue.settle(begun, 2);
    assert.equal(queue.keys, 0);
  });
});
