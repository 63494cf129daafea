'use strict';

// When reportSlowTasks() begins and ends: by its signal, and with the process.

const assert = require('node:assert/strict');
const { setImmediate: turn } = require('node:timers/promises');
const { reportSlowTasks, scheduler } = require('../..');
const { LIMIT } = require('../helpers/loop.js');
const { PolyfillSignal, busy } = require('../helpers/tasks.js');
const { separateTests, until } = require('../helpers/watch.js');
const { theWatch } = require('../../lib/watch/watch.js');

describe('reports of slow tasks', () => {
  separateTests();

  let controller;
  let reports;

  beforeEach(() => {
    controller = new AbortController();
    reports = [];
  });

  afterEach(() => controller.abort());

  const start = (options) => {
    const add = (report) => reports.push(report);
    reportSlowTasks({ signal: controller.signal, ...options }, add);
  };
  const labelled = (label) => reports.filter((each) => each.label === label);
  const slowTask = (label) => scheduler.postTask(() => busy(60), { label });

  it('go on after an abort event that user code dispatches, and end with the abort', async () => {
    const { signal } = controller;
    start();
    for (const label of ['a', 'b']) {
      signal.dispatchEvent(new Event('abort'));
      slowTask(label);
      await until(() => labelled(label).length === 1);
    }
    const listeners = theWatch().listeners.length;
    controller.abort();
    assert.equal(theWatch().listeners.length, listeners - 1);
    const { length } = reports;
    await slowTask('c');
    await turn();
    assert.equal(reports.length, length);
  }).timeout(LIMIT);

  it('end although another listener stops the event', () => {
    const { signal } = controller;
    signal.addEventListener('abort', (event) => event.stopImmediatePropagation());
    const before = theWatch().listeners.length;
    start();
    controller.abort();
    assert.equal(theWatch().listeners.length, before);
  });

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
