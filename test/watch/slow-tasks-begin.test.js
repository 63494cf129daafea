'use strict';

// When reportSlowTasks() begins and ends: inside of a task, beside others that watch, and by its
// signal. And its hint: which waits a fairness key would have shortened.

const assert = require('node:assert/strict');
const { controllerFor } = require('uv-scheduler/http');
const { scheduler } = require('../..');
const { PRIORITIES, PolyfillSignal } = require('../helpers/tasks.js');
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

// The bound in ms.
const WAIT = 100;

describe('a report on a wait', () => {
  const clock = useClock();

  // A chain of `pieces` pieces, each of the given time in ms, with a yield before each.
  async function goOn(pieces, ms) {
    for (let i = 0; i < pieces; i++) {
      await scheduler.yield();
      clock.spend(ms);
    }
  }

  // A chain whose task posts the waiting one.
  const chain = (options = {}, pieces = 40, ms = 10) => (postLate) => {
    scheduler.postTask(() => Promise.all([postLate(), goOn(pieces, ms)]), options);
  };

  const { signal } = controllerFor(new AbortController().signal, { priority: 'background' });
  const CASES = {
    'names the key if a chain took longer than the bound': PRIORITIES.map((priority) =>
      ['fairnessKey', chain({ priority }), { priority }]),
    'names the key if the chain has no task': [['fairnessKey', (postLate) => {
      postLate();
      goOn(40, 10);
    }]],
    'has no hint if the chain is more urgent':
      [[undefined, chain({ priority: 'user-blocking' })]],
    'has no hint if one piece is long by itself': [[undefined, chain({}, 1, 3 * WAIT)]],
    'has no hint if other tasks took the time': [[undefined, (postLate) => {
      for (let i = 0; i < 40; i++) clock.post(10);
      postLate();
    }]],
    'has no hint if each of several chains was short': [[undefined, (postLate) => {
      for (let i = 0; i < 80; i++) scheduler.postTask(() => goOn(2, 2));
      postLate();
    }]],
    // In both, the task waits because other work of its key, or without one, has had its share.
    'has no hint if the chain has a key': [[undefined, (postLate) => {
      clock.post(4 * WAIT);
      chain({ fairnessKey: 'a' })(postLate);
    }]],
    'has no hint if the task has a key': [[undefined, (postLate) => {
      clock.post(4 * WAIT, { fairnessKey: 'a' });
      chain()(postLate);
    }, { fairnessKey: 'a' }]],
    'has no hint if a request of controllerFor() waits': [[undefined, (postLate) => {
      clock.post(3 * WAIT);
      chain({ signal })(postLate);
    }, { signal }]],
  };
  for (const [title, cases] of Object.entries(CASES)) {
    it(title, async () => {
      for (const [hint, work, options] of cases) {
        const reports = collectReports({ duration: Infinity, wait: WAIT });
        work(() => scheduler.postTask(() => {}, { label: 'late', ...options }));
        await clock.run();
        const found = reports.filter(({ label }) => label === 'late');
        assert.deepEqual(found.map((report) => report.hint), [hint]);
      }
    });
  }
});
