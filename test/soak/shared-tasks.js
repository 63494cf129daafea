'use strict';

// A million joins of shared tasks for each kind of use, and a million shared tasks: what waits, and
// what leaves, and runs that never settle.

const { setImmediate: turn } = require('node:timers/promises');
const { SharedTask, TaskController, scheduler } = require('../..');
const { soak } = require('../helpers/memory.js');

const COUNT = 1_000_000;
const AT_ONCE = 1000;

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

const long = new TaskController();
const ignore = () => {};

// Joins `count` times, some at a time, each by `join(index)`. `release` ends what is under way.
function joined(join, release = ignore) {
  return async (count) => {
    let done = 0;
    for (let first = 0; first < count; first += AT_ONCE) {
      const joins = [];
      for (let index = first; index < Math.min(count, first + AT_ONCE); index++) {
        joins.push(join(index));
      }
      release();
      done += (await Promise.allSettled(joins)).length;
    }
    return done;
  };
}

const task = new SharedTask(() => scheduler.yield());

// A run that never ends, and those that wait for it and leave.
const endless = new SharedTask(() => new Promise(ignore));
endless.join();
let leaving = new AbortController();

function leave() {
  leaving.abort();
  leaving = new AbortController();
}

soak({
  'joins of one shared task': {
    count: COUNT,
    run: joined((index) => task.join({ priority: PRIORITIES[index % 3] })),
  },

  'joins that follow a signal that lives long': {
    count: COUNT,
    run: joined((index) => {
      if (index % AT_ONCE === 0) long.setPriority(PRIORITIES[index / AT_ONCE % 3]);
      return task.join({ signal: long.signal });
    }),
  },

  'joins with a signal each': {
    count: COUNT,
    run: joined(() => task.join({ signal: new TaskController().signal })),
  },

  'joins that leave a run that never ends': {
    count: COUNT,
    run: joined(() => endless.join({ priority: long.signal, signal: leaving.signal }), leave),
  },

  'joins with a signal each that leave such a run': {
    count: COUNT,
    run: joined(() => {
      const controller = new TaskController();
      const promise = endless.join({ signal: controller.signal });
      controller.abort();
      return promise;
    }),
  },

  'shared tasks with a run each': {
    count: COUNT,
    run: joined(() => new SharedTask(() => {}).join()),
  },

  'shared tasks whose runs join another one': {
    count: COUNT,
    run: joined(() => new SharedTask(() => task.join()).join()),
  },

  'shared tasks whose runs are aborted': {
    count: COUNT,
    run: joined(() => {
      const { signal } = leaving;
      return new SharedTask(ignore, { abortWhenUnused: true }).join({ signal });
    }, leave),
  },

  // The signal that lives long must not hold them.
  'shared tasks whose runs never settle': {
    count: COUNT,
    run: joined((index) => {
      new SharedTask(() => new Promise(ignore)).join({ priority: long.signal });
      return index % AT_ONCE === 0 ? turn() : undefined;
    }, () => scheduler.postTask(ignore, { priority: 'background' })),
  },
});
