'use strict';

// The job of pool.cjs: background work in steps that yields to an urgent task.

const { threadId } = require('node:worker_threads');

module.exports = async ({ index }) => {
  const { scheduler } = globalThis;
  const log = [];
  let sum = 0;
  await scheduler.postTask(async () => {
    for (let step = 1; step <= 3; step++) {
      sum += index * step;
      log.push(`step${step}`);
      if (step === 2) {
        scheduler.postTask(() => log.push('urgent'), { priority: 'user-blocking' });
        scheduler.postTask(() => log.push('user-visible'));
      }
      await scheduler.yield();
    }
  }, { priority: 'background' });
  return { order: log.join(' '), sum, thread: threadId };
};
