'use strict';

// Shared tasks in traces and reports: the arrows from each join() to the run and from its end to
// the tasks that waited, and the tasks that await a late step.
// @host portable

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { SharedTask, scheduler } = require('../..');
const { traceTasks } = require('uv-scheduler/watch');
const { useFolder } = require('../helpers/folders.js');
const { findLooseArrows, findOverlaps, isInside, lanesOf, ofKind } = require('../helpers/trace.js');
const { collectReports, useClock } = require('../helpers/watch.js');

describe('the trace of a shared task', () => {
  const clock = useClock();
  const inFolder = useFolder();

  // The events of what a function does.
  async function traceOf(work) {
    const file = inFolder('trace.json');
    const trace = traceTasks(file);
    await work();
    await clock.run();
    trace.stop();
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
      clock.spend(1);
      await scheduler.yield();
      clock.spend(1);
    }, { label: 'load' });
    const options = { label: 'checkout', priority: 'user-blocking' };
    const checkout = () => scheduler.postTask(() => {
      clock.spend(1);
      const loaded = load.join();
      clock.spend(1);
      return loaded;
    }, options);
    const page = () => Promise.all([load.join(), checkout()]);
    const events = await traceOf(() => void scheduler.postTask(page, { label: 'page' }));
    // The run is as urgent as the checkout by then.
    assert.deepEqual(arrowsOf(events), [
      ['page (user-visible)', ['load (user-blocking)']],
      ['checkout (user-blocking)', ['load (user-blocking)']],
      ['ends: load (user-blocking)', ['goes on: page (user-visible)']],
      ['ends: load (user-blocking)', ['goes on: checkout (user-blocking)']],
    ]);
    assert.deepEqual([findOverlaps(events), findLooseArrows(events)], [[], []]);
  });

  it('has the arrows of a run that waits and ends outside of tasks', async () => {
    let answer;
    const ask = () => new Promise((resolve) => (answer = resolve));
    const load = new SharedTask(ask, { label: 'load' });
    const events = await traceOf(async () => {
      load.join();
      await clock.run();
      load.join();
      await clock.advance(1);
      answer();
    });
    assert.deepEqual(arrowsOf(events), [
      ['join (event loop)', ['load (user-visible)']],
      ['join (event loop)', ['ends: load (user-visible)']],
      ...Array(2).fill(['ends: load (user-visible)', ['goes on:  (user-visible)']]),
    ]);
    assert.deepEqual([findOverlaps(events), findLooseArrows(events)], [[], []]);
  });

  it('has no arrow to a join() that has left', async () => {
    const controller = new AbortController();
    const load = new SharedTask(() => clock.spend(20), { label: 'load' });
    const events = await traceOf(() => {
      load.join({ signal: controller.signal }).catch(() => {});
      load.join();
      controller.abort();
    });
    const ends = ofKind(events, 'X').filter(({ name }) => name.startsWith('goes on'));
    assert.equal(ends.length, 1);
  });
});

describe('a report on the wait of a shared task', () => {
  const clock = useClock();

  const join = (load, label, priority) => scheduler.postTask(() =>
    load.join({ priority: 'background' }), { label, priority });

  // The priority of each wait of a label, and who awaits it.
  const waitsOf = (reports, label) => reports.filter((each) => each.label === label)
    .map(({ kind, priority, awaitedBy }) => [kind, priority, awaitedBy]);

  it('names the ten most urgent of those who await it, and for how long they do', async () => {
    const reports = collectReports({ duration: Infinity, wait: 50 });
    const load = new SharedTask(() => {}, { label: 'load' });
    for (let i = 0; i < 200; i++) join(load, 'crawler', 'background');
    join(load, 'page', 'user-visible');
    join(load, 'checkout', 'user-blocking');
    clock.post(150, { label: 'report' });
    await clock.run();
    const awaiting = (label, priority) => ({ label, priority, awaitedFor: 150 });
    assert.deepEqual(waitsOf(reports, 'load'), [['task', 'background', [
      awaiting('checkout', 'user-blocking'), awaiting('page', 'user-visible'),
      ...Array(8).fill({ label: 'crawler', priority: 'background', awaitedFor: 0 }),
    ]]]);
  });

  for (const [what, label, kind, give] of [
    ['a task that the shared task has posted', 'parse', 'task', () =>
      scheduler.postTask(() => {}, { label: 'parse', priority: 'background' })],
    ['a step of the shared task that is given a priority', 'load', 'continuation', () =>
      scheduler.yield({ priority: 'background' })],
  ]) {
    it(`names who awaits ${what}`, async () => {
      const reports = collectReports({ duration: Infinity, wait: 50 });
      const load = new SharedTask(give, { label: 'load' });
      scheduler.postTask(() => {
        const loaded = load.join();
        clock.post(150, { label: 'page' });
        return loaded;
      }, { label: 'checkout', priority: 'user-blocking' });
      await clock.run();
      const awaitedBy = [{ label: 'checkout', priority: 'user-blocking', awaitedFor: 150 }];
      assert.deepEqual(waitsOf(reports, label), [[kind, 'background', awaitedBy]]);
    });
  }
});
