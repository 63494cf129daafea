'use strict';

// A million tasks of a hundred thousand fairness keys, more than are told apart: all tasks run, and
// their memory is released, also where they wait at once, never settle or bring signals along.

const { TaskController, scheduler } = require('../..');
const { soak } = require('../helpers/memory.js');

const KEYS = 100_000;
const AT_ONCE = 1000;

const keyOf = (index) => `tenant ${index % KEYS}`;

// Posts `count` tasks, some at a time, each by `post(index)`, whose promise is resolved if it
// counts.
async function posted(count, post) {
  let ran = 0;
  for (let first = 0; first < count; first += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - first);
    const tasks = Array.from({ length }, (_, index) => post(first + index));
    await Promise.all(tasks);
    ran += length;
  }
  return ran;
}

// A task that lasts as long as the program: begin() makes it yield `count` times.
let begin;
let asked = new Promise((resolve) => {
  begin = resolve;
});
scheduler.postTask(async () => {
  for (;;) {
    const { count, done } = await asked;
    asked = new Promise((resolve) => {
      begin = resolve;
    });
    for (let ran = 0; ran < count; ran++) {
      const { signal } = new TaskController();
      await scheduler.yield({ signal });
    }
    done(count);
  }
}, { fairnessKey: 'one' });

soak({
  'tasks of 100,000 keys': {
    count: 1_000_000,
    run: (count) => posted(count, (index) => {
      return scheduler.postTask(() => {}, { fairnessKey: keyOf(index) });
    }),
  },

  'tasks of 100,000 keys at once': {
    isFlood: true,
    count: 1_000_000,
    async run(count) {
      let ran = 0;
      await Promise.all(Array.from({ length: count }, (_, index) => {
        return scheduler.postTask(() => ran++, { fairnessKey: keyOf(index) });
      }));
      return ran;
    },
  },

  'tasks of changing weights that yield': {
    count: 300_000,
    run: (count) => posted(count, (index) => scheduler.postTask(async () => {
      await scheduler.yield();
    }, { fairnessKey: keyOf(index % 7), fairnessWeight: 1 + index % 3 })),
  },

  'tasks that follow one signal, half of them aborted': {
    count: 300_000,
    async run(count) {
      const lasting = new TaskController();
      return posted(count, (index) => {
        if (index % 100 === 0) lasting.setPriority(index % 200 ? 'background' : 'user-visible');
        const controller = index % 2 ? new TaskController() : lasting;
        const { signal } = controller;
        const task = scheduler.postTask(() => {}, { signal, fairnessKey: keyOf(index) });
        if (index % 2 === 0) return task;
        controller.abort();
        return task.catch(() => {});
      });
    },
  },

  'tasks of keys that never settle': {
    count: 200_000,
    run: (count) => posted(count, (index) => new Promise((resolve) => {
      scheduler.postTask(() => {
        resolve();
        return new Promise(() => {});
      }, { fairnessKey: keyOf(index) });
    })),
  },

  // Its flow has queues for each signal only while something of it waits.
  'continuations of one task, each with a signal': {
    count: 300_000,
    run: (count) => new Promise((done) => {
      begin({ count, done });
    }),
  },
});
