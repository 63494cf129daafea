'use strict';

// Tasks beside other users of the loop's hooks.

const assert = require('node:assert/strict');
const { output } = require('../helpers/tasks.js');

describe('beside a monitor of the event loop that samples each iteration,', () => {
  it('background tasks and idle callbacks run, and the process ends', async () => {
    const lines = await output(async (root) => {
      const { monitorEventLoopDelay } = require('node:perf_hooks');
      const { requestIdleCallback, scheduler } = require(root);
      // Versions without the option sample by a timer.
      const monitor = monitorEventLoopDelay({ samplePerIteration: true });
      monitor.enable();
      await scheduler.postTask(async () => {
        console.log('background');
        await scheduler.yield();
        console.log('continuation');
      }, { priority: 'background' });
      await new Promise((resolve) => requestIdleCallback(resolve));
      console.log('idle');
    });
    assert.deepEqual(lines, ['background', 'continuation', 'idle']);
  });
});
