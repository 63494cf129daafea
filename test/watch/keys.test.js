'use strict';

// The fairness keys that a TaskMonitor and a trace show.
// @host portable

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { TaskController, scheduler } = require('../..');
const { traceTasks } = require('uv-scheduler/watch');
const { useFolder } = require('../helpers/folders.js');
const { ofKind } = require('../helpers/trace.js');
const { enabledMonitor, useClock } = require('../helpers/watch.js');

const ENDS = [50, 200];
const LEVELS = { 'user-blocking': ENDS, 'user-visible': ENDS, 'background': ENDS };

// Without the row of what no request took, which other tests have left behind.
const keysOf = (monitor) => monitor.keys.filter(({ key }) => key !== '(nobody)');

describe('the keys of a TaskMonitor', () => {
  const clock = useClock();

  it('have their weights and times, the one with most time first', async () => {
    const monitor = enabledMonitor();
    clock.post(100, { fairnessKey: 'one', fairnessWeight: 2 });
    clock.post(200, { fairnessKey: 'other' });
    await clock.run();
    const common = { requests: 0, levels: LEVELS };
    assert.deepEqual(keysOf(monitor), [
      // It has waited for the earlier one.
      { key: 'other', weight: 1, time: 200, waitTime: 100, ...common },
      { key: 'one', weight: 2, time: 100, waitTime: 0, ...common },
    ]);
  });

  it('have levels that end at 50 and 200 ms, which tasks that were given up leave', async () => {
    const monitor = enabledMonitor();
    for (let i = 0; i < 200; i++) {
      const controller = new TaskController();
      const { signal } = controller;
      const task = scheduler.postTask(() => {
        clock.spend(1);
        controller.abort();
      }, { signal, fairnessKey: 'one' });
      task.catch(() => {});
      await clock.run();
    }
    assert.deepEqual(keysOf(monitor).map(({ time, levels }) => [time, levels]), [[200, LEVELS]]);
  });
});

describe('a trace', () => {
  const clock = useClock();
  const inFolder = useFolder();

  it('has the key of each step that has one, and the level of its request', async () => {
    const file = inFolder('trace.json');
    const trace = traceTasks(file);
    for (const [label, fairnessKey] of [['keyed', 'a "key"'], ['other']]) {
      scheduler.postTask(async () => {
        clock.spend(60);
        await scheduler.yield();
      }, { label, fairnessKey });
    }
    await clock.run();
    trace.stop();
    const slices = ofKind(JSON.parse(fs.readFileSync(file, 'utf8')), 'X');
    const argumentsOf = (label) => slices.filter(({ name }) => name === label)
      .map(({ args }) => [args.key, args.level]);
    assert.deepEqual(argumentsOf('keyed'), [['a "key"', 0], ['a "key"', 1]]);
    assert.deepEqual(argumentsOf('other'), [[undefined, undefined], [undefined, undefined]]);
  });
});
