'use strict';

// When reportSlowTasks() begins and ends: inside of a task, beside others that watch, and by its
// signal.

const assert = require('node:assert/strict');
const { onIdle, scheduler } = require('../..');
const { LIMIT } = require('../helpers/programs.js');
const { PolyfillSignal, busy } = require('../helpers/tasks.js');
const { collectReports, enabledMonitor, record, separateTests, until } =
  require('../helpers/watch.js');
const { theWatch } = require('../../dist/watch.js').parts();

// The largest difference of two clocks, in ms.
const CLOSE = 1;

describe('reports of slow tasks', () => {
  separateTests();

  let reports = [];
  const start = (options) => (reports = collectReports(options));
  const labelled = (label) => reports.filter((each) => each.label === label);

  for (const [before, watch] of [['a subscriber', record], ['a monitor', enabledMonitor]]) {
    it(`tell which part of a wait was before they began, where ${before} watched`, async () => {
      watch();
      // For how long the third task has waited when they begin, at least and at most.
      let least;
      let most;
      scheduler.postTask(() => busy(60), { label: 'first' });
      scheduler.postTask(() => {
        const from = performance.now();
        scheduler.postTask(() => {}, { label: 'third' });
        const to = performance.now();
        busy(60);
        least = performance.now() - to;
        start({ duration: Infinity, wait: 20 });
        most = performance.now() - from;
        busy(30);
      }, { label: 'second' });
      await onIdle();
      await until(() => labelled('third').length > 0);
      assert.deepEqual(reports.map(({ label }) => label), ['third']);
      const [{ wait, waitedFor, id, queuedAt, startedAt }] = reports;
      assert.ok(wait >= least + 30 && Number.isInteger(id), `${wait} ${id}`);
      assert.ok(Math.abs(startedAt - queuedAt - wait) < 1);
      const unknown = waitedFor.find(({ kind }) => kind === 'unknown');
      assert.deepEqual([unknown.label, unknown.priority], ['', undefined]);
      const { time } = unknown;
      assert.ok(time > least - CLOSE && time < most + CLOSE, `${least} ${time} ${most}`);
      const second = waitedFor.find(({ label }) => label === 'second');
      assert.ok(second.time > 0, JSON.stringify(waitedFor));
      const sum = waitedFor.reduce((all, { share }) => all + share, 0);
      assert.ok(Math.abs(sum - 1) < 0.01, JSON.stringify(waitedFor));
    }).timeout(LIMIT);
  }

  it('have an id for each task, whether it was posted before they began or later', async () => {
    enabledMonitor();
    scheduler.postTask(() => {
      scheduler.postTask(() => {}, { label: 'before' });
      scheduler.postTask(() => {}, { label: 'before' });
      busy(60);
      start({ duration: Infinity, wait: 20 });
      scheduler.postTask(() => {}, { label: 'later' });
      busy(60);
    });
    await until(() => labelled('before').length === 2 && labelled('later').length === 1);
    const ids = [...labelled('before'), ...labelled('later')].map(({ id }) => id);
    assert.equal(new Set(ids).size, 3, ids.join());
  }).timeout(LIMIT);

  it('come at the exit before later listeners of the program', () => {
    start();
    const own = () => {};
    process.on('exit', own);
    start();
    assert.equal(process.listeners('exit').at(-1), own);
    process.off('exit', own);
  });

  it('do not begin if the signal refuses a listener', () => {
    const before = theWatch().listeners.length;
    const signal = new PolyfillSignal();
    const error = new Error('polyfill');
    signal.addEventListener = () => {
      throw error;
    };
    assert.throws(() => start({ signal }), error);
    assert.equal(theWatch().listeners.length, before);
  });
});
