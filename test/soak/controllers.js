'use strict';

// Controllers for each kind of use, dropped after use.

const { TaskController, scheduler } = require('../..');
const { inBatches, soak } = require('../helpers/memory.js');

// `use(controller, post)` gets a new controller, and a function that posts a task of its signal.
const used = (use) => inBatches(() => {
  const controller = new TaskController({ priority: 'background' });
  return use(controller, () => scheduler.postTask(() => {}, { signal: controller.signal }));
});

soak({
  'controllers, each with a task': used((controller, post) => post()),

  'controllers, each with a task that it raises': used((controller, post) => {
    const task = post();
    controller.setPriority('user-blocking');
    return task;
  }),

  'controllers that abort their task': used((controller, post) => {
    const task = post().catch(() => {});
    controller.abort();
    return task;
  }),

  'controllers with listeners and no task': used((controller) => {
    controller.signal.addEventListener('prioritychange', () => {});
    controller.signal.onprioritychange = () => {};
    controller.setPriority('user-visible');
  }),
});
