'use strict';

// A million tasks at once, and a hundred thousand signals with tasks: all tasks run in order, and
// their memory is released.

const { TaskController, scheduler } = require('../..');
const { flood, soak } = require('../helpers/memory.js');

// A flood of tasks that begin in the order of their numbers.
function inOrder(count, make) {
  let started = 0;
  return flood(count, (index) => {
    if (index === 0) started = 0;
    return make(() => {
      if (started++ !== index) throw new Error('a task is out of its order');
    });
  });
}

let controller = new TaskController();

soak({
  'tasks at once': inOrder(1_000_000, (callback) => scheduler.postTask(callback)),

  'tasks of a thousand keys at once': flood(1_000_000, (index) =>
    scheduler.postTask(() => {}, { fairnessKey: `tenant ${index % 1000}` })),

  'delayed tasks at once':
    flood(300_000, (index) => scheduler.postTask(() => {}, { delay: 1 + index % 50 })),

  'delayed tasks at once, aborted': flood(300_000, (index) => {
    const options = { delay: 60_000 + index % 50, signal: controller.signal };
    return scheduler.postTask(() => {}, options).catch(() => {});
  }, () => {
    controller.abort();
    controller = new TaskController();
  }),

  'signals at once, each with tasks in a queue of its own': inOrder(100_000, (callback) => {
    const { signal } = new TaskController({ priority: 'background' });
    return Promise.all([
      scheduler.postTask(callback, { signal }),
      scheduler.postTask(() => scheduler.yield(), { signal }),
    ]);
  }),
});
