'use strict';

// Joins of shared tasks for each kind of use, and shared tasks: what waits, and what leaves, and
// runs that never settle.

const { SharedTask, TaskController, scheduler } = require('../..');
const { inBatches, soak } = require('../helpers/memory.js');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

const long = new TaskController();
const ignore = () => {};
const never = () => new Promise(ignore);

const task = new SharedTask(() => scheduler.yield());

// A run that never ends, and those that wait for it and leave.
const endless = new SharedTask(never);
endless.join();
let leaving = new AbortController();

// A run in which those of a batch leave.
const left = (join) => inBatches(() => join(leaving.signal).catch(ignore), {
  release() {
    leaving.abort();
    leaving = new AbortController();
  },
});

soak({
  'joins of one shared task': inBatches((index) => task.join({ priority: PRIORITIES[index % 3] })),

  'joins that follow a signal that lives long': inBatches((index) => {
    if (index % 1000 === 0) long.setPriority(PRIORITIES[index / 1000 % 3]);
    return task.join({ signal: long.signal });
  }),

  'joins with a signal each': inBatches(() => task.join({ signal: new TaskController().signal })),

  'joins that leave a run that never ends':
    left((signal) => endless.join({ priority: long.signal, signal })),

  'joins with a signal each that leave such a run': inBatches(() => {
    const controller = new TaskController();
    const promise = endless.join({ signal: controller.signal }).catch(ignore);
    controller.abort();
    return promise;
  }),

  'shared tasks with a run each': inBatches(() => new SharedTask(ignore).join()),

  'shared tasks whose runs join another one':
    inBatches(() => new SharedTask(() => task.join()).join()),

  'shared tasks whose runs are aborted':
    left((signal) => new SharedTask(ignore, { abortWhenUnused: true }).join({ signal })),

  // The signal that lives long must not hold them.
  'shared tasks whose runs never settle': inBatches(
    () => void new SharedTask(never).join({ priority: long.signal }),
    { release: () => scheduler.postTask(ignore, { priority: 'background' }) }),
});
