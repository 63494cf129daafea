'use strict';

// The labels of a monitor, and the counters below it when there are more labels than counters.

const assert = require('node:assert/strict');
const { setImmediate: turn } = require('node:timers/promises');
const fc = require('fast-check');
const { scheduler } = require('../..');
const { ExportedLabels } = require('../../lib/watch/exported-labels.js');
const { LabelTimes } = require('../../lib/watch/label-times.js');
const { canCompile, nestedAddon } = require('../helpers/nested-addon.js');
const { busy } = require('../helpers/tasks.js');
const { CLOSE, enabledMonitor, separateTests } = require('../helpers/watch.js');

const nothing = () => {};
const VISIBLE = 1;

const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);

describe('the labels of a TaskMonitor', () => {
  separateTests();

  it('are those of tasks, the one with most time first', async () => {
    const monitor = enabledMonitor();
    await scheduler.postTask(() => busy(4), { label: 'index', priority: 'background' });
    for (let i = 0; i < 3; i++) await scheduler.postTask(() => busy(4), { label: 'render' });
    await scheduler.postTask(function named() {
      busy(1);
    });
    await turn();
    const { labels } = monitor;
    const byLabel = Object.fromEntries(labels.map((each) => [each.label, each]));
    assert.deepEqual(Object.keys(byLabel).sort(), ['index', 'named', 'render']);
    const { count, time, max, priority } = byLabel.render;
    assert.deepEqual([count, priority], [3, 'user-visible']);
    assert.ok(time >= 12 && max >= 4 && max < time, `${time}, ${max}`);
    assert.deepEqual([byLabel.index.count, byLabel.index.priority], [1, 'background']);
    const times = labels.map((each) => each.time);
    assert.deepEqual(times, [...times].sort((one, other) => other - one));
  });

  it('are at most 100, those with most time', async () => {
    const monitor = enabledMonitor();
    for (let i = 0; i < 150; i++) scheduler.postTask(nothing, { label: `short ${i}` });
    await scheduler.postTask(() => busy(5), { label: 'long' });
    await turn();
    assert.equal(monitor.labels.length, 100);
    // A machine can hold a short one up, not half of them.
    assert.ok(monitor.labels.some(({ label }) => label === 'long'));
  });

  if (canCompile) {
    it('have no time of tasks that run inside of them', async () => {
      const monitor = enabledMonitor();
      const { run } = require(nestedAddon());
      const ONCE = 1;
      await scheduler.postTask(() => {
        scheduler.postTask(() => busy(30), { label: 'inner' });
        setImmediate(nothing);
        run(ONCE);
      }, { label: 'outer' });
      await turn();
      const of = (label) => monitor.labels.find((each) => each.label === label).time;
      const all = of('inner') + of('outer');
      assert.ok(of('inner') >= 30, `${of('inner')}`);
      assert.ok(Math.abs(all - monitor.time['user-visible']) < CLOSE, `${all}`);
    });
  }
});

describe('the counters of labels', () => {
  // The values of the counters, and the true ones.
  function compare(labels, times) {
    const counters = new LabelTimes();
    const truth = new Map();
    labels.forEach((label, i) => {
      const time = times[i % times.length];
      counters.record(`${label}`, VISIBLE, time);
      const before = truth.get(`${label}`) ?? { count: 0, time: 0, max: 0 };
      truth.set(`${label}`, {
        count: before.count + 1,
        time: before.time + time,
        max: Math.max(before.max, time),
      });
    });
    return { counters, truth };
  }

  it('never say too much, and lack at most 1/512 of all time; nothing for 1,024 labels', () => {
    // Some labels often, others once.
    const label = fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 3000 }), fc.nat());
    const programs = fc.tuple(
      fc.array(label, { minLength: 3000, maxLength: 6000, size: 'max' }),
      fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 20 }),
      fc.constantFrom(1024, Infinity),
    );
    fc.assert(fc.property(programs, ([given, times, most]) => {
      const labels = most === Infinity ? given : given.map((each) => each % most);
      const { counters, truth } = compare(labels, times);
      const all = sum([...truth.values()].map(({ time }) => time));
      const shown = new Map(counters.top.map((each) => [each.label, each]));
      for (const [name, { count, time, max }] of truth) {
        const found = shown.get(name) ?? { count: 0, time: 0, max: 0 };
        assert.ok(found.count <= count && found.time <= time && found.max <= max);
      }
      for (const { label: name, time, missing } of shown.values()) {
        assert.ok(time + missing >= truth.get(name).time);
        assert.ok(missing <= (most === Infinity ? all / 512 : 0), `${missing} of ${all}`);
      }
      // A label with more time than can be missing is there.
      const least = counters.top.at(-1).time;
      for (const [name, { time }] of truth) {
        assert.ok(shown.has(name) || time <= least + all / 512, `${name}: ${time}`);
      }
    }), { numRuns: 30 });
  }).timeout(60_000);
});

describe('the labels that exporters show', () => {
  const row = (label, time, count = 1) => ({ label, time, count, priority: 'background' });
  const shown = (rows) => rows.map(({ label, count, time }) => [label, count, time]);

  it('are as many as they may be, and the same from then on', () => {
    const exported = new ExportedLabels(2);
    assert.deepEqual(shown(exported.read([row('a', 1000)])), [['a', 1, 1000]]);
    exported.read([row('b', 3000), row('c', 2000), row('a', 1000)]);
    assert.deepEqual(
      shown(exported.read([row('c', 9000), row('b', 4000, 2), row('a', 1000)])),
      [['a', 1, 1000], ['b', 2, 4000]],
    );
  });

  it('never fall, although a label was counted anew', () => {
    const exported = new ExportedLabels(1);
    exported.read([row('a', 5000, 5)]);
    assert.deepEqual(shown(exported.read([row('a', 1000, 1)])), [['a', 5, 5000]]);
    assert.deepEqual(shown(exported.read([])), [['a', 5, 5000]]);
    assert.deepEqual(shown(exported.read([row('a', 6000, 7)])), [['a', 7, 6000]]);
  });
});
