'use strict';

// The labels of a monitor, and the counters below it when there are more labels than counters.

const assert = require('node:assert/strict');
const fc = require('fast-check');
const { scheduler } = require('../..');
const { ExportedLabels } = require('../../lib/watch/exported-labels.js');
const { LabelTimes } = require('../../lib/watch/label-times.js');
const { enabledMonitor, useClock } = require('../helpers/watch.js');

const VISIBLE = 1;

describe('the labels of a TaskMonitor', () => {
  const clock = useClock();

  it('are those of tasks, the one with most time first', async () => {
    const monitor = enabledMonitor();
    clock.post(4, { label: 'index', priority: 'background' });
    for (const ms of [4, 6, 5]) clock.post(ms, { label: 'render' });
    scheduler.postTask(function named() {
      clock.spend(1);
    });
    await clock.run();
    assert.deepEqual(monitor.labels, [
      { label: 'render', priority: 'user-visible', count: 3, time: 15, max: 6 },
      { label: 'index', priority: 'background', count: 1, time: 4, max: 4 },
      { label: 'named', priority: 'user-visible', count: 1, time: 1, max: 1 },
    ]);
  });

  it('are at most 100, those with most time', async () => {
    const monitor = enabledMonitor();
    for (let i = 0; i < 150; i++) clock.post(1, { label: `short ${i}` });
    clock.post(5, { label: 'long' });
    await clock.run();
    assert.equal(monitor.labels.length, 100);
    assert.equal(monitor.labels[0].label, 'long');
  });
});

describe('the counters of labels', () => {
  it('never say too much, and lack at most 1/512 of all time', () => {
    // Some labels often, others once.
    const label = fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 3000 }), fc.nat()).map(String);
    const step = fc.record({ label, time: fc.nat({ max: 1000 }) });
    const programs = fc.array(step, { minLength: 3000, maxLength: 6000, size: 'max' });
    fc.assert(fc.property(programs, (steps) => {
      const counters = new LabelTimes();
      const truth = new Map();
      for (const { label: name, time } of steps) {
        counters.record(name, VISIBLE, time);
        const { count, time: before, max } = truth.get(name) ?? { count: 0, time: 0, max: 0 };
        truth.set(name, { count: count + 1, time: before + time, max: Math.max(max, time) });
      }
      const most = steps.reduce((sum, { time }) => sum + time, 0) / 512;
      const shown = new Map(counters.top.map((each) => [each.label, each]));
      for (const { label: name, count, time, max, missing } of shown.values()) {
        const exact = truth.get(name);
        assert.ok(count <= exact.count && time <= exact.time && max <= exact.max);
        assert.ok(time + missing >= exact.time && missing <= most, `${missing} of ${most}`);
      }
      // A label with more time than can be missing is there.
      const least = counters.top.at(-1).time;
      for (const [name, { time }] of truth) {
        assert.ok(shown.has(name) || time <= least + most, `${name}: ${time}`);
      }
    }), { numRuns: 30 });
  }).timeout(60_000);
});

describe('the labels that exporters show', () => {
  const row = (label, time, count = 1) => ({ label, time, count, priority: 'background' });
  const shown = (rows) => rows.map(({ label, count, time }) => [label, count, time]);

  it('are the same from then on, and never fall, although a label was counted anew', () => {
    const exported = new ExportedLabels(2);
    assert.deepEqual(shown(exported.read([row('a', 1000)])), [['a', 1, 1000]]);
    exported.read([row('b', 3000), row('c', 2000), row('a', 1000)]);
    const all = exported.read([row('c', 9000), row('b', 4000, 2), row('a', 500)]);
    assert.deepEqual(shown(all), [['a', 1, 1000], ['b', 2, 4000]]);
    assert.deepEqual(shown(exported.read([])), [['a', 1, 1000], ['b', 2, 4000]]);
  });
});
