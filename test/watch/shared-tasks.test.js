'use strict';

// Shared tasks in traces and reports: the arrows from each join() to the run and from its end to
// the tasks that waited, and the tasks that await a late step.
// @host portable

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { SharedTask, scheduler, traceTasks } = require('../..');
const { useFolder } = require('../helpers/folders.js');
const { LIMIT } = require('../helpers/programs.js');
const { busy: spin } = require('../helpers/tasks.js');
const { findLooseArrows, findOverlaps, isInside, lanesOf, ofKind } = require('../helpers/trace.js');
const { firstReport, separateTests, until } = require('../helpers/watch.js');

describe('the trace of a shared task', () => {
  const inFolder = useFolder();

  // The events of what a function does.
  async function traceOf(work) {
    const file = inFolder('trace.json');
    const trace = traceTasks(file);
    try {
      await work();
    } finally {
      trace.stop();
    }
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  }

  // The names of the slices that the arrows of joins lead from and to, in their lanes. In the lane
  // of the loop a turn is around each.
  function arrowsOf(events) {
    const slices = ofKind(events, 'X').filter(({ name }) => name !== 'turn');
    const lanes = new Map([...lanesOf(events)].map(([name, tid]) => [tid, name]));
    const shortest = (found) => found.sort((one, other) => one.dur - other.dur)[0];
    const sliceOf = ({ tid, ts }) => {
      const { name } = shortest(slices.filter((each) => each.tid === tid && isInside(ts, each)));
      return `${name} (${lanes.get(tid)})`;
    };
    const starts = ofKind(events, 's').filter(({ name }) => name === 'join');
    return starts.map((start) => {
      const end = ofKind(events, 'f').find(({ id }) => id === start.id);
      const at = slices.filter(({ tid, ts }) => tid === end.tid && ts === end.ts);
      return [sliceOf(start), at.map(({ name }) => `${name} (${lanes.get(end.tid)})`)];
    });
  }

  it('has arrows from each join() to the run, and from its end to those who waited', async () => {
    const load = new SharedTask(async () => {
      spin(0.1);
      await scheduler.yield();
      spin(0.1);
    }, { label: 'load' });
    const options = { label: 'checkout', priority: 'user-blocking' };
    const checkout = () => scheduler.postTask(() => load.join(), options);
    const page = () => Promise.all([load.join(), checkout()]);
    const events = await traceOf(() => scheduler.postTask(page, { label: 'page' }));
    const arrows = arrowsOf(events);
    const from = (name) => arrows.filter(([start]) => start === name).flatMap(([, ends]) => ends);
    assert.equal(arrows.length, 4);
    // The run is as urgent as the checkout by then.
    assert.deepEqual(from('checkout (user-blocking)'), ['load (user-blocking)']);
    assert.deepEqual(from('page (user-visible)'), ['load (user-blocking)']);
    const ends = from('ends: load (user-blocking)');
    assert.ok(ends.includes('goes on: checkout (user-blocking)'), JSON.stringify(arrows));
    assert.ok(ends.includes('goes on: page (user-visible)'), JSON.stringify(arrows));
    assert.deepEqual([findOverlaps(events), findLooseArrows(events)], [[], []]);
  }).timeout(LIMIT);

  it('has the arrows of a run that waits and ends outside of tasks', async () => {
    let answer;
    const ask = () => new Promise((resolve) => (answer = resolve));
    const load = new SharedTask(ask, { label: 'load' });
    const events = await traceOf(async () => {
      const first = load.join();
      await until(() => answer !== undefined);
      const second = load.join();
      await sleep(1);
      answer();
      await Promise.all([first, second]);
    });
    const [first, second, ...rest] = arrowsOf(events);
    assert.deepEqual(first, ['join (event loop)', ['load (user-visible)']]);
    assert.deepEqual(second, ['join (event loop)', ['ends: load (user-visible)']]);
    assert.deepEqual(rest.map(([start]) => start), Array(2).fill('ends: load (user-visible)'));
    assert.deepEqual([findOverlaps(events), findLooseArrows(events)], [[], []]);
  }).timeout(LIMIT);

  it('has no arrow to a join() that has left', async () => {
    const controller = new AbortController();
    const load = new SharedTask(() => sleep(20), { label: 'load' });
    const events = await traceOf(async () => {
      const left = load.join({ signal: controller.signal });
      const stays = load.join();
      controller.abort();
      await assert.rejects(left);
      await stays;
    });
    const ends = ofKind(events, 'X').filter(({ name }) => name.startsWith('goes on'));
    assert.equal(ends.length, 1);
  }).timeout(LIMIT);
});

describe('a report on the wait of a shared task', () => {
  separateTests();

  // Resolves to the report on a task, or on a continuation of it.
  const waitOf = (label, kind = 'task') => firstReport((report) => {
    return report.label === label && report.kind === kind;
  }, { duration: Infinity, wait: 50 });

  const join = (load, label, priority) => scheduler.postTask(() => {
    return load.join({ priority: 'background' });
  }, { label, priority });

  it('names the ten most urgent of those who await it, and for how long they do', async () => {
    const begin = performance.now();
    const report = waitOf('load');
    const load = new SharedTask(() => {}, { label: 'load' });
    const joins = [
      ...Array.from({ length: 200 }, () => join(load, 'crawler', 'background')),
      join(load, 'page', 'user-visible'), join(load, 'checkout', 'user-blocking'),
    ];
    scheduler.postTask(() => spin(150), { label: 'report' });
    const { awaitedBy, priority } = await report;
    const passed = performance.now() - begin;
    await Promise.all(joins);
    assert.deepEqual([awaitedBy.length, priority], [10, 'background']);
    assert.deepEqual(awaitedBy.map((each) => [each.label, each.priority]).slice(0, 2), [
      ['checkout', 'user-blocking'], ['page', 'user-visible'],
    ]);
    assert.ok(awaitedBy[0].awaitedFor >= 140, JSON.stringify(awaitedBy));
    assert.ok(awaitedBy.every(({ awaitedFor }) => awaitedFor <= passed), `${passed}`);
  }).timeout(LIMIT);

  for (const [what, label, kind, give] of [
    ['a task that the shared task has posted', 'parse', 'task', () => {
      return scheduler.postTask(() => {}, { label: 'parse', priority: 'background' });
    }],
    ['a step of the shared task that is given a priority', 'load', 'continuation', () => {
      return scheduler.yield({ priority: 'background' });
    }],
  ]) {
    it(`names who awaits ${what}`, async () => {
      const wait = waitOf(label, kind);
      const load = new SharedTask(give, { label: 'load' });
      const checkout = scheduler.postTask(() => {
        const loaded = load.join();
        scheduler.postTask(() => spin(150), { label: 'page' });
        return loaded;
      }, { label: 'checkout', priority: 'user-blocking' });
      const { awaitedBy, priority } = await wait;
      await checkout;
      assert.equal(priority, 'background');
      assert.deepEqual(awaitedBy.map((each) => [each.label, each.priority]), [
        ['checkout', 'user-blocking'],
      ]);
    }).timeout(LIMIT);
  }
});
