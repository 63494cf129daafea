'use strict';

// A million composite signals on sources that live long. The host itself manages those that their
// sources can abort, so its own API is their control.

const { setImmediate: turn } = require('node:timers/promises');
const { TaskController, TaskSignal, scheduler } = require('../..');
const { soak } = require('../helpers/memory.js');

const COUNT = 1_000_000;

// The host cleans up after collected signals between turns.
const PER_TURN = 1000;

const source = new TaskController();
const { signal } = source;

// Creates `count` signals. If `make` returns a promise, it resolves when the signal is done with.
function made(make) {
  return async (count) => {
    let tasks = [];
    for (let index = 0; index < count; index++) {
      tasks.push(make(index));
      if (tasks.length < PER_TURN) continue;
      await Promise.all(tasks);
      tasks = [];
      await turn();
    }
    await Promise.all(tasks);
    return count;
  };
}

// A control in which the package is not used.
const plain = new AbortController().signal;

soak({
  'composite signals that follow a priority': {
    count: COUNT,
    run: made((index) => {
      if (index % PER_TURN === 0) source.setPriority(index % 2 ? 'background' : 'user-visible');
      TaskSignal.any([], { priority: signal });
    }),
  },

  'composite signals that had a listener': {
    count: COUNT,
    run: made(() => {
      const composite = TaskSignal.any([], { priority: signal });
      const listener = () => {};
      composite.addEventListener('prioritychange', listener);
      composite.removeEventListener('prioritychange', listener);
    }),
  },

  'composite signals that heard of one change': {
    count: COUNT,
    run: made((index) => {
      const composite = TaskSignal.any([], { priority: signal });
      composite.addEventListener('prioritychange', () => {}, { once: true });
      if (index % PER_TURN === 0) {
        source.setPriority(signal.priority === 'background' ? 'user-visible' : 'background');
      }
    }),
  },

  'composite signals with a task': {
    count: COUNT,
    run: made(() => {
      return scheduler.postTask(() => {}, { signal: TaskSignal.any([], { priority: signal }) });
    }),
  },

  'composite signals that can be aborted': {
    count: COUNT,
    run: made(() => {
      TaskSignal.any([signal], { priority: signal });
    }),
    control: made(() => {
      AbortSignal.any([plain]);
    }),
  },

  // A listener left behind would keep the signal alive for ever.
  'composite signals that can be aborted, with a task': {
    count: COUNT,
    run: made(() => {
      return scheduler.postTask(() => {}, { signal: TaskSignal.any([signal]) });
    }),
    control: made(() => {
      const composite = AbortSignal.any([plain]);
      const listener = () => {};
      composite.addEventListener('abort', listener);
      composite.removeEventListener('abort', listener);
    }),
  },
});
