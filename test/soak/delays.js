'use strict';

// Delayed tasks of each kind: some run, others are aborted before.

const { TaskController, scheduler } = require('../..');
const { inBatches, soak } = require('../helpers/memory.js');

// Never reached.
const LONG = 60_000;

const post = (options) => scheduler.postTask(() => {}, options);

let shared = new TaskController();

soak({
  'delayed tasks that run': inBatches((index) => post({ delay: 1 + index % 2 })),

  'delayed tasks of signals of their own that run':
    inBatches(() => post({ delay: 1, signal: new TaskController().signal })),

  'delayed tasks that one signal aborts': inBatches(
    () => post({ delay: LONG, signal: shared.signal }).catch(() => {}),
    {
      release() {
        shared.abort();
        shared = new TaskController();
      },
    }),

  'delayed tasks, each aborted by its own signal': inBatches((index) => {
    const controller = new AbortController();
    const { signal } = controller;
    const task = post({ delay: LONG + index, signal, priority: 'background' }).catch(() => {});
    controller.abort();
    return task;
  }),
});
