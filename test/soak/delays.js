'use strict';

// A million delayed tasks of each kind: some run, others are aborted before.

const { TaskController, scheduler } = require('../..');
const { soak } = require('../helpers/memory.js');

const COUNT = 1_000_000;
const AT_ONCE = 1000;

// Never reached.
const LONG = 60_000;

// Calls `round(count)` with some tasks at a time.
function inRounds(round) {
  return async (count) => {
    let done = 0;
    while (done < count) done += (await round(Math.min(count - done, AT_ONCE))).length;
    return done;
  };
}

function times(count, make) {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)));
}

soak({
  'delayed tasks that run': {
    count: COUNT,
    run: inRounds((count) => times(count, (index) => {
      return scheduler.postTask(() => {}, { delay: 1 + index % 2 });
    })),
  },

  'delayed tasks of signals of their own that run': {
    count: COUNT,
    run: inRounds((count) => times(count, () => {
      return scheduler.postTask(() => {}, { delay: 1, signal: new TaskController().signal });
    })),
  },

  'delayed tasks that one signal aborts': {
    count: COUNT,
    run: inRounds((count) => {
      const controller = new TaskController();
      const options = { delay: LONG, signal: controller.signal };
      const tasks = times(count, () => scheduler.postTask(() => {}, options).catch(() => {}));
      controller.abort();
      return tasks;
    }),
  },

  'delayed tasks, each aborted by its own signal': {
    count: COUNT,
    run: inRounds((count) => times(count, (index) => {
      const controller = new AbortController();
      const options = { delay: LONG + index, signal: controller.signal, priority: 'background' };
      const task = scheduler.postTask(() => {}, options).catch(() => {});
      controller.abort();
      return task;
    })),
  },
});
