'use strict';

// A million tasks at once, and a hundred thousand signals with tasks: all tasks run in order, and
// their memory is released.

const { TaskController, scheduler } = require('../..');
const { soak } = require('../helpers/memory.js');

soak({
  'tasks at once': {
    isFlood: true,
    count: 1_000_000,
    async run(count) {
      let ran = 0;
      await Promise.all(Array.from({ length: count }, (_, index) => {
        return scheduler.postTask(() => {
          if (ran++ !== index) throw new Error('a task is out of its order');
        });
      }));
      return ran;
    },
  },

  'delayed tasks at once': {
    isFlood: true,
    count: 300_000,
    async run(count) {
      let ran = 0;
      await Promise.all(Array.from({ length: count }, (_, index) => {
        return scheduler.postTask(() => ran++, { delay: 1 + index % 50 });
      }));
      return ran;
    },
  },

  'delayed tasks at once, aborted': {
    isFlood: true,
    count: 300_000,
    async run(count) {
      const controller = new TaskController();
      let aborted = 0;
      const tasks = Array.from({ length: count }, (_, index) => {
        const options = { delay: 60_000 + index % 50, signal: controller.signal };
        return scheduler.postTask(() => {}, options).catch(() => aborted++);
      });
      controller.abort();
      await Promise.all(tasks);
      return aborted;
    },
  },

  'signals at once, each with tasks in a queue of its own': {
    isFlood: true,
    count: 100_000,
    async run(count) {
      let ran = 0;
      let started = 0;
      const tasks = [];
      for (let index = 0; index < count; index++) {
        const { signal } = new TaskController({ priority: 'background' });
        tasks.push(scheduler.postTask(() => {
          if (started++ !== index) throw new Error('a task is out of its order');
        }, { signal }));
        tasks.push(scheduler.postTask(async () => {
          await scheduler.yield();
          ran++;
        }, { signal }));
      }
      await Promise.all(tasks);
      return ran;
    },
  },
});
