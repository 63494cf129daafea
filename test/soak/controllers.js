'use strict';

// A million controllers for each kind of use, dropped after use.

const { TaskController, scheduler } = require('../..');
const { soak } = require('../helpers/memory.js');

const COUNT = 1_000_000;
const AT_ONCE = 1000;

// Creates `count` controllers, some at a time. The promise of `use(controller)` resolves when the
// controller is done with.
function used(use) {
  return async (count) => {
    let done = 0;
    for (let first = 0; first < count; first += AT_ONCE) {
      const uses = [];
      for (let index = first; index < Math.min(count, first + AT_ONCE); index++) {
        uses.push(use(new TaskController({ priority: 'background' })));
      }
      done += (await Promise.all(uses)).length;
    }
    return done;
  };
}

soak({
  'controllers, each with a task': {
    count: COUNT,
    run: used(({ signal }) => scheduler.postTask(() => {}, { signal })),
  },

  'controllers, each with a task that it raises': {
    count: COUNT,
    run: used((controller) => {
      const task = scheduler.postTask(() => {}, { signal: controller.signal });
      controller.setPriority('user-blocking');
      return task;
    }),
  },

  'controllers that abort their task': {
    count: COUNT,
    run: used((controller) => {
      const task = scheduler.postTask(() => {}, { signal: controller.signal });
      controller.abort();
      return task.catch(() => {});
    }),
  },

  'controllers with listeners and no task': {
    count: COUNT,
    run: used((controller) => {
      controller.signal.addEventListener('prioritychange', () => {});
      controller.signal.onprioritychange = () => {};
      controller.setPriority('user-visible');
    }),
  },
});
