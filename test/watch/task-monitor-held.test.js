'use strict';

// monitorTasks(): for how long background work was held although the loop was idle, and why.
// @host portable

const assert = require('node:assert/strict');
const { configure, scheduler } = require('../..');
const { monitorTasks } = require('uv-scheduler/watch');
const { addContext, contexts, shared } = require('../../lib/watch/channels.js');
const { enabledMonitor, fakeHold, separateTests } = require('../helpers/watch.js');

describe('the held time of a TaskMonitor', () => {
  separateTests();

  it('is 0 where nothing is held', async () => {
    // The tests may run in a container with a quota, and a hold may be under way.
    configure({ idle: 'loop' });
    await scheduler.postTask(() => {}, { priority: 'background' });
    const monitor = enabledMonitor();
    await scheduler.postTask(() => {}, { priority: 'background' });
    configure({ idle: 'container' });
    assert.deepEqual(monitor.heldTime, { container: 0, machine: 0 });
    assert.equal(monitor.heldFor, null);
  });

  it('counts in ms from when the monitor was enabled or reset, by reason', () => {
    const hold = fakeHold();
    hold.container = 10;
    const monitor = enabledMonitor();
    const other = monitorTasks();
    assert.deepEqual(monitor.heldTime, { container: 0, machine: 0 });
    Object.assign(hold, { container: 12.5, machine: 0.5 });
    other.enable();
    hold.machine = 1;
    assert.deepEqual(monitor.heldTime, { container: 2.5, machine: 1 });
    assert.deepEqual(other.heldTime, { container: 0, machine: 0.5 });
    other.disable();
    hold.container = 20;
    assert.deepEqual(other.heldTime, { container: 0, machine: 0.5 });
    other.enable();
    hold.container = 22;
    assert.deepEqual(other.heldTime, { container: 2, machine: 0.5 });
    other.reset();
    hold.container = 22.5;
    assert.deepEqual(other.heldTime, { container: 0.5, machine: 0 });
    other.disable();
    other.reset();
    assert.deepEqual(other.heldTime, { container: 0, machine: 0 });
    // A disabled monitor also knows the reason for which work is held now.
    assert.equal(other.heldFor, null);
    hold.reason = 1;
    assert.equal(other.heldFor, 'container');
  });

  it('is that of the context which has held most, where a thread has several', () => {
    const hold = fakeHold();
    hold.container = 5;
    const monitor = enabledMonitor();
    // A context that is loaded later begins at 0.
    const context = { ...contexts()[0] };
    const other = fakeHold(context);
    addContext(context);
    try {
      Object.assign(other, { container: 2, machine: 1, reason: 2 });
      hold.container = 6;
      assert.deepEqual(monitor.heldTime, { container: 2, machine: 1 });
      assert.equal(monitor.heldFor, 'machine');
      hold.container = 9;
      assert.deepEqual(monitor.heldTime, { container: 4, machine: 1 });
    } finally {
      shared.contexts.pop();
    }
  });
});
