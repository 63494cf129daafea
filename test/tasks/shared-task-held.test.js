'use strict';

// Shared tasks in a process whose background work is held, as others need its processors.

const assert = require('node:assert/strict');
const { LIMIT } = require('../helpers/programs.js');
const { output } = require('../helpers/tasks.js');

describe("with idle: 'machine', while threads use all processors,", () => {
  it('a run is not held that an urgent task waits for @quotas', async () => {
    const lines = await output(async (root) => {
      const { once } = require('node:events');
      const { availableParallelism } = require('node:os');
      const { setTimeout: sleep } = require('node:timers/promises');
      const { Worker } = require('node:worker_threads');
      const { SharedTask, configure, scheduler } = require(root + '/index.js');
      configure({ idle: 'machine' });
      const isOver = new Int32Array(new SharedArrayBuffer(4));
      const code = "const { workerData } = require('node:worker_threads');" +
        'while (Atomics.load(workerData, 0) === 0);';
      const workers = Array.from({ length: 2 * availableParallelism() }, () => {
        return new Worker(code, { eval: true, workerData: isOver });
      });
      await Promise.all(workers.map((worker) => once(worker, 'online')));
      const load = new SharedTask(async () => {
        for (let part = 0; part < 20; part++) await scheduler.yield();
        return 'menu';
      });
      const crawler = load.join({ priority: 'background' });
      await sleep(200);
      console.log(await scheduler.postTask(() => load.join(), { priority: 'user-blocking' }));
      Atomics.store(isOver, 0, 1);
      await crawler;
    });
    assert.deepEqual(lines, ['menu']);
  }).timeout(LIMIT);
});
