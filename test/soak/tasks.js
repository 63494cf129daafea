'use strict';

// Ten million tasks of all kinds, which run and leave no memory behind.

const { TaskController, cancelIdleCallback, createScheduler, requestIdleCallback, scheduler } =
  require('../..');
const { soak } = require('../helpers/memory.js');

const AT_ONCE = 1000;

const other = createScheduler();
const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

// Posts `count` tasks, some at a time, each by `post(callback, index)`.
function posted(post, atOnce = AT_ONCE) {
  return async (count) => {
    let ran = 0;
    const callback = () => {
      ran++;
    };
    for (let first = 0; first < count; first += atOnce) {
      const tasks = [];
      for (let index = first; index < Math.min(count, first + atOnce); index++) {
        tasks.push(post(callback, index));
      }
      await Promise.all(tasks);
    }
    return ran;
  };
}

const controllers = Array.from({ length: AT_ONCE }, () => new TaskController());
const [controller] = controllers;
const { signal } = new AbortController();

soak({
  'tasks without options': {
    count: 4_000_000,
    run: posted((callback) => scheduler.postTask(callback)),
  },

  'tasks of each priority, on two schedulers': {
    count: 1_000_000,
    run: posted((callback, index) => {
      const options = { priority: PRIORITIES[index % 3] };
      return (index % 2 === 0 ? scheduler : other).postTask(callback, options);
    }),
  },

  'tasks of one TaskSignal that changes its priority': {
    count: 1_000_000,
    run: posted((callback, index) => {
      if (index % 100 === 0) controller.setPriority(PRIORITIES[index / 100 % 3]);
      return scheduler.postTask(callback, { signal: controller.signal });
    }),
  },

  // Each is the only task of its signal, so a queue is created and removed for it.
  'tasks of signals that live long': {
    count: 4_000_000,
    run: posted((callback, index) => {
      return scheduler.postTask(callback, { signal: controllers[index % AT_ONCE].signal });
    }),
  },

  // Each adds and removes the listener on the signal.
  'tasks of one AbortSignal, one by one': {
    count: 1_000_000,
    run: posted((callback) => {
      return scheduler.postTask(callback, { signal, priority: 'user-blocking' });
    }, 1),
  },

  'continuations': {
    count: 1_000_000,
    run: (count) => scheduler.postTask(async () => {
      let ran = 0;
      for (; ran < count; ran++) await scheduler.yield();
      return ran;
    }, { priority: 'background', signal: controller.signal }),
  },

  'tasks that throw, and asynchronous ones': {
    count: 1_000_000,
    run: posted((callback, index) => {
      if (index % 2 === 0) {
        return scheduler.postTask(async () => {
          await undefined;
          callback();
        });
      }
      const thrown = scheduler.postTask(() => {
        callback();
        throw index;
      });
      return thrown.catch(() => {});
    }),
  },

  'idle callbacks, every other one cancelled': {
    count: 500_000,
    run: posted((callback, index) => {
      if (index % 2 === 0) {
        return new Promise((resolve) => {
          requestIdleCallback(() => resolve(callback()), { timeout: 60_000 });
        });
      }
      cancelIdleCallback(requestIdleCallback(callback, { timeout: 60_000 }));
      return callback();
    }),
  },
});
