'use strict';

// Tasks of all kinds, which run and leave no memory behind.

const { TaskController, cancelIdleCallback, createScheduler, requestIdleCallback, scheduler } =
  require('../..');
const { inBatches, soak } = require('../helpers/memory.js');

const other = createScheduler();
const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

const controllers = Array.from({ length: 1000 }, () => new TaskController());
const [controller] = controllers;
const { signal } = new AbortController();

const nothing = () => {};
const post = (options, callback = nothing) => scheduler.postTask(callback, options);

// Of more fairness keys than are told apart.
const postKeyed = (index, options, callback) =>
  post({ fairnessKey: `tenant ${index % 100_000}`, ...options }, callback);

soak({
  'tasks without options': { count: 4_000_000, run: inBatches(() => post()) },

  'tasks of each priority, on two schedulers': inBatches((index) =>
    (index % 2 ? other : scheduler).postTask(nothing, { priority: PRIORITIES[index % 3] })),

  'tasks of one TaskSignal that changes its priority': inBatches((index) => {
    if (index % 100 === 0) controller.setPriority(PRIORITIES[index / 100 % 3]);
    return post({ signal: controller.signal });
  }),

  // Each is the only task of its signal, so a queue is created and removed for it.
  'tasks of signals that live long': {
    count: 4_000_000,
    run: inBatches((index) => post({ signal: controllers[index % 1000].signal })),
  },

  // Each adds and removes the listener on the signal.
  'tasks of one AbortSignal, one by one':
    inBatches(() => post({ signal, priority: 'user-blocking' }), { atOnce: 1 }),

  'continuations': (count) => scheduler.postTask(async () => {
    let ran = 0;
    for (; ran < count; ran++) {
      await scheduler.yield(ran % 2 === 0 ? {} : { signal: new TaskController().signal });
    }
    return ran;
  }, { priority: 'background', signal: controller.signal }),

  'tasks of 100,000 keys': inBatches((index) => postKeyed(index)),

  'tasks of keys with changing weights that yield': {
    count: 300_000,
    run: inBatches((index) =>
      postKeyed(index % 7, { fairnessWeight: 1 + index % 3 }, () => scheduler.yield())),
  },

  'tasks of keys that never settle': {
    count: 200_000,
    run: inBatches((index) => new Promise((resolve) => {
      postKeyed(index, {}, () => {
        resolve();
        return new Promise(nothing);
      });
    })),
  },

  'tasks that throw, and asynchronous ones': inBatches((index) => {
    if (index % 2 === 0) return post({}, async () => undefined);
    return post({}, () => { throw index; }).catch(nothing);
  }),

  'idle callbacks, every other one cancelled': inBatches((index) => {
    if (index % 2 === 0) {
      return new Promise((resolve) => requestIdleCallback(resolve, { timeout: 60_000 }));
    }
    return cancelIdleCallback(requestIdleCallback(nothing, { timeout: 60_000 }));
  }),
});
