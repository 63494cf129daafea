'use strict';

// When reportSlowTasks() begins and ends: inside of a task, beside others that watch, and by its
// signal.

const assert = require('node:assert/strict');
const { scheduler } = require('../..');
const { PolyfillSignal } = require('../helpers/tasks.js');
const { collectReports, enabledMonitor, separateTests, until, useClock } =
  require('../helpers/watch.js');
const { theWatch } = require('../../dist/watching.js').parts();

describe('reports of slow tasks', () => {
  const clock = useClock();

  it('tell which part of a wait was before they began', async () => {
    let reports;
    clock.post(60, { label: 'first' });
    scheduler.postTask(() => {
      scheduler.postTask(() => {}, { label: 'third' });
      clock.spend(60);
      reports = collectReports({ duration: Infinity, wait: 20 });
      clock.spend(30);
    }, { label: 'second' });
    await clock.run();
    assert.deepEqual(reports.map(({ label, wait }) => [label, wait]), [['third', 90]]);
    const [{ id, waitedFor }] = reports;
    assert.ok(Number.isInteger(id));
    const culprit = (kind, label, priority, time) => {
      return { kind, label, priority, time, share: time / 90 };
    };
    assert.deepEqual(waitedFor, [
      culprit('unknown', '', undefined, 60), culprit('task', 'second', 'user-visible', 30),
    ]);
  });

  it('come at the exit before later listeners of the program', () => {
    collectReports();
    const own = () => {};
    process.on('exit', own);
    collectReports();
    assert.equal(process.listeners('exit').at(-1), own);
    process.off('exit', own);
  });

  it('do not begin if the signal refuses a listener', () => {
    const before = theWatch().listeners.length;
    const signal = new PolyfillSignal();
    const error = new Error('polyfill');
    signal.addEventListener = () => { throw error; };
    assert.throws(() => collectReports({ signal }), error);
    assert.equal(theWatch().listeners.length, before);
  });
});

// Under a test scheduler subscribers watch, so each task has a message.
describe('reports of slow tasks where only a monitor has watched', () => {
  separateTests();

  it('tell which part of a wait was before they began, with an id for each task', async () => {
    enabledMonitor();
    let reports;
    scheduler.postTask(() => {
      for (let i = 0; i < 2; i++) scheduler.postTask(() => {}, { label: 'before' });
      reports = collectReports({ duration: Infinity, wait: 1e-6 });
      scheduler.postTask(() => {}, { label: 'later' });
    });
    await until(() => reports?.length === 3);
    assert.deepEqual(reports.map(({ label }) => label), ['before', 'before', 'later']);
    assert.equal(new Set(reports.map(({ id }) => id)).size, 3);
    const kinds = reports.map(({ waitedFor }) => waitedFor.map(({ kind }) => kind));
    assert.deepEqual(kinds.map((each) => each.includes('unknown')), [true, true, false]);
    for (const { waitedFor } of reports) {
      const sum = waitedFor.reduce((all, { share }) => all + share, 0);
      assert.ok(Math.abs(sum - 1) < 1e-3, JSON.stringify(waitedFor));
    }
  });
});
