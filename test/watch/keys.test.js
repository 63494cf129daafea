'use strict';

// The fairness keys that a TaskMonitor and a trace show.
// @host portable

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { setImmediate: turn } = require('node:timers/promises');
const { scheduler, traceTasks } = require('../..');
const { useFolder } = require('../helpers/folders.js');
const { ofKind } = require('../helpers/trace.js');
const { PRIORITIES, output } = require('../helpers/tasks.js');
const { enabledMonitor, separateTests } = require('../helpers/watch.js');

// Uses the processor for so many ms: time in which other processes have it is not thread time. The
// other threads of this process have a part.
function use(milliseconds) {
  const before = process.cpuUsage();
  const used = ({ user, system }) => (user + system) / 1e3;
  while (used(process.cpuUsage(before)) < milliseconds);
}

describe('the keys of a TaskMonitor', () => {
  separateTests();

  it('have their weights and times, the one with most time first', async () => {
    const monitor = enabledMonitor();
    await Promise.all([
      scheduler.postTask(() => use(100), { fairnessKey: 'one', fairnessWeight: 2 }),
      scheduler.postTask(() => use(200), { fairnessKey: 'other' }),
    ]);
    await turn();
    const keys = monitor.keys.filter(({ key }) => ['one', 'other'].includes(key));
    assert.ok(keys[0].time >= keys[1].time, JSON.stringify(keys));
    const [one, other] = ['one', 'other'].map((name) => keys.find(({ key }) => key === name));
    assert.deepEqual([one.weight, other.weight], [2, 1]);
    assert.ok(one.time >= 60 && other.time >= 120, JSON.stringify(keys));
    // The later one has waited for the earlier one.
    assert.ok(other.waitTime >= 50, JSON.stringify(keys));
    for (const { levels, requests } of keys) {
      // Both have ended.
      assert.equal(requests, 0);
      assert.deepEqual(Object.keys(levels), PRIORITIES);
      for (const ends of Object.values(levels)) assert.ok(ends.every((end) => end >= 1));
    }
  });

  it('have levels that end at 50 and 200 ms, which tasks that were given up leave', async () => {
    // Not in this process: earlier tests may have taught its scheduler other levels.
    const [levels] = await output(async (root) => {
      const { TaskController, monitorTasks, scheduler: own } = require(root);
      for (let i = 0; i < 200; i++) {
        const controller = new TaskController();
        const { signal } = controller;
        const give = () => controller.abort();
        await own.postTask(give, { signal, fairnessKey: 'one' }).catch(() => {});
      }
      console.log(JSON.stringify(monitorTasks().keys[0].levels));
    });
    const ends = [50, 200];
    assert.deepEqual(
      JSON.parse(levels), { 'user-blocking': ends, 'user-visible': ends, 'background': ends });
  }).timeout(30_000);
});

describe('a trace', () => {
  separateTests();

  const inFolder = useFolder();

  it('has the key of each step that has one, and the level of its request', async () => {
    const file = inFolder('trace.json');
    const trace = traceTasks(file);
    await Promise.all([['keyed', 'a "key"'], ['other']].map(([label, fairnessKey]) => {
      return scheduler.postTask(() => scheduler.yield(), { label, fairnessKey });
    }));
    await turn();
    trace.stop();
    const slices = ofKind(JSON.parse(fs.readFileSync(file, 'utf8')), 'X');
    const argumentsOf = (label) => slices.filter(({ name }) => name === label)
      .map(({ args }) => [args.key, typeof args.level]);
    // Where a level ends depends on the tasks before, and on the time that this one takes.
    assert.deepEqual(argumentsOf('keyed'), [['a "key"', 'number'], ['a "key"', 'number']]);
    assert.deepEqual(argumentsOf('other'), [[undefined, 'undefined'], [undefined, 'undefined']]);
  });
});
