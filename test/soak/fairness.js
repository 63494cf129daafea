'use strict';

// Tasks of a hundred thousand fairness keys, more than are told apart: all tasks run, and their
// memory is released, also where they wait at once, never settle or bring signals along.

const { EventEmitter, on } = require('node:events');
const { TaskController, scheduler } = require('../..');
const { flood, inBatches, soak } = require('../helpers/memory.js');

const keyOf = (index) => `tenant ${index % 100_000}`;

const post = (index, options, callback = () => {}) =>
  scheduler.postTask(callback, { fairnessKey: keyOf(index), ...options });

const lasting = new TaskController();

// A task that lasts as long as the program, and yields so many times whenever it is told to.
const told = new EventEmitter();
scheduler.postTask(async () => {
  for await (const [count, done] of on(told, 'yield')) {
    for (let ran = 0; ran < count; ran++) {
      const { signal } = new TaskController();
      await scheduler.yield({ signal });
    }
    done(count);
  }
}, { fairnessKey: 'one' });

soak({
  'tasks of 100,000 keys': inBatches((index) => post(index)),

  'tasks of 100,000 keys at once': flood(1_000_000, (index) => post(index)),

  'tasks of changing weights that yield': {
    count: 300_000,
    run: inBatches((index) =>
      post(index % 7, { fairnessWeight: 1 + index % 3 }, () => scheduler.yield())),
  },

  'tasks that follow one signal, half of them aborted': {
    count: 300_000,
    run: inBatches((index) => {
      if (index % 100 === 0) lasting.setPriority(index % 200 ? 'background' : 'user-visible');
      if (index % 2 === 0) return post(index, { signal: lasting.signal });
      const controller = new TaskController();
      const task = post(index, { signal: controller.signal }).catch(() => {});
      controller.abort();
      return task;
    }),
  },

  'tasks of keys that never settle': {
    count: 200_000,
    run: inBatches((index) => new Promise((resolve) => {
      post(index, {}, () => {
        resolve();
        return new Promise(() => {});
      });
    })),
  },

  // Its flow has queues for each signal only while something of it waits.
  'continuations of one task, each with a signal': {
    count: 300_000,
    run: (count) => new Promise((done) => told.emit('yield', count, done)),
  },
});
