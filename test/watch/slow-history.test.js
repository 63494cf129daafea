'use strict';

// The history of reportSlowTasks(), which says which labels blocked the thread, compared with all
// spans of time.

const assert = require('node:assert/strict');
const fc = require('fast-check');
require('../..');
const { History, OTHER_TASKS } = require('../../lib/watch/slow/history.js');
const { Profiler } = require('../../lib/watch/slow/profiler.js');
const { theWatch } = require('../../lib/watch/watch.js');

const NAMES = ['a', 'b', 'c'];
const RESOLUTION = 100;

const span = fc.record({
  name: fc.constantFrom(...NAMES),
  length: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 50, max: 5000 })),
});

// For how long a name has held the thread in a time.
function timeOf(spans, name, start, end) {
  let time = 0;
  for (const each of spans) {
    if (each.name !== name) continue;
    time += Math.max(0, Math.min(end, each.end) - Math.max(start, each.start));
  }
  return time;
}

describe('the history of who held the thread', () => {
  it('knows the shares of any time up to now within 5 points', () => {
    const spansOfAll = fc.array(span, { minLength: 1, maxLength: 5000, size: 'max' });
    fc.assert(fc.property(spansOfAll, fc.double({ min: 0, max: 1, noNaN: true }), (list, part) => {
      const history = new History(RESOLUTION);
      const spans = [];
      let now = 0;
      for (const { name, length } of list) {
        spans.push({ name, start: now, end: now + length });
        history.add(now, now + length, [[name, length]]);
        now += length;
      }
      // A wait is at least a hundred times as long as what the history resolves.
      const wait = Math.min(now, Math.max(100 * RESOLUTION, part * now));
      const times = history.read(now - wait, now);
      for (const name of NAMES) {
        const expected = timeOf(spans, name, now - wait, now);
        const actual = times.get(name) ?? 0;
        assert.ok(Math.abs(actual - expected) <= 0.05 * wait, `${name}: ${actual}, ${expected}`);
      }
    }), { numRuns: 50 });
  }).timeout(30_000);

  it('needs no more memory for a day than for a minute', () => {
    const history = new History(RESOLUTION);
    // With a resolution of 0.1 s, a span of 50 ms for more than a day.
    for (let now = 0; now < 1e8; now += 50) history.add(now, now + 50, [[NAMES[now % 3], 50]]);
    const [[, time]] = history.read(0, 1e8);
    assert.ok(time > 0);
    const chapters = history.chapters.length;
    assert.ok(chapters < 2500, `${chapters} chapters`);
  }).timeout(30_000);

  it('puts tasks together where they have very many labels, and nothing else', () => {
    const history = new History(RESOLUTION);
    const often = { kind: 'task', label: 'often', priority: 'background' };
    const other = { kind: 'other', label: '', priority: undefined };
    const COUNT = 300_000;
    for (let i = 0; i < COUNT; i++) {
      const once = { kind: 'task', label: `${i}`, priority: 'background' };
      history.add(20 * i, 20 * i + 20, [[often, 10], [other, 1], [once, 9]]);
    }
    const times = history.read(0, 20 * COUNT);
    assert.equal(times.get(often), 10 * COUNT);
    assert.equal(times.get(other), COUNT);
    assert.ok(times.get(OTHER_TASKS) > 8.9 * COUNT);
    let sum = 0;
    for (const time of times.values()) sum += time;
    assert.equal(Math.round(sum), 20 * COUNT);
    assert.ok(times.size <= 101, `${times.size} culprits`);
    const remembered = history.chapters.reduce((all, each) => all + each.times.size, 0);
    assert.ok(remembered < 150_000, `${remembered} culprits in all chapters`);
  }).timeout(30_000);
});

describe('the profiles of slow tasks', () => {
  function spin(ms) {
    const end = performance.now() + ms;
    while (performance.now() < end);
  }

  function first() {
    spin(200);
  }

  function second() {
    spin(200);
  }

  it('follow each other without a gap', () => {
    const watch = theWatch();
    const profiler = new Profiler(2, () => watch.now());
    const times = [];
    const profiles = [];
    for (const work of [first, second]) {
      const start = watch.now();
      work();
      times.push([start, watch.now()]);
      profiles.push(work === first ? profiler.rotate() : profiler.stop());
    }
    for (const [i, work] of [first, second].entries()) {
      const { stack } = profiles[i].functionsIn(...times[i]);
      const frame = stack.find(({ functionName }) => functionName === work.name);
      const [start, end] = times[i];
      assert.ok(frame.total > 0.5 * (end - start) / 1e6, JSON.stringify(stack));
    }
    // Each history knows only its own time.
    assert.deepEqual(profiles[1].functionsIn(...times[0]).functions, []);
  }).timeout(30_000);

  it('tell functions of one name apart', () => {
    const ofOneName = [
      function spin(end) {
        while (performance.now() < end);
      },
      function spin(end) {
        while (performance.now() < end);
      },
    ];
    const watch = theWatch();
    const profiler = new Profiler(2, () => watch.now());
    const start = watch.now();
    for (const work of ofOneName) work(performance.now() + 200);
    const { functions } = profiler.stop().functionsIn(start, watch.now());
    const named = functions.filter(({ functionName }) => functionName === 'spin');
    assert.equal(named.length, 2, JSON.stringify(functions));
  }).timeout(30_000);

  for (const [difference, hours] of [['ahead of', 1], ['behind', -1]]) {
    it(`have the times of the scheduler's clock where that is ${difference} V8's`, () => {
      const now = () => theWatch().now() + hours * 3600e9;
      const profiler = new Profiler(2, now);
      const start = now();
      spin(200);
      const { functions } = profiler.stop().functionsIn(start, now());
      assert.notDeepEqual(functions, []);
    }).timeout(30_000);
  }
});
