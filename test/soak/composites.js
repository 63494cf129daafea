'use strict';

// Composite signals on sources that live long. The host itself manages those that their sources can
// abort, so its own API is their control.

const { TaskController, TaskSignal, scheduler } = require('../..');
const { inBatches, soak } = require('../helpers/memory.js');

const source = new TaskController();
const { signal } = source;

// Changes it once for each batch.
function change(index) {
  if (index % 1000 > 0) return;
  source.setPriority(signal.priority === 'background' ? 'user-visible' : 'background');
}

const follow = () => TaskSignal.any([], { priority: signal });
const post = (own) => scheduler.postTask(() => {}, { signal: own });

function listenForAWhile(target, type) {
  const listener = () => {};
  target.addEventListener(type, listener);
  target.removeEventListener(type, listener);
}

// A control in which the package is not used.
const plain = new AbortController().signal;

soak({
  'composite signals that follow a priority': inBatches((index) => {
    change(index);
    follow();
  }),

  'composite signals that had a listener':
    inBatches(() => listenForAWhile(follow(), 'prioritychange')),

  'composite signals that heard of one change': inBatches((index) => {
    follow().addEventListener('prioritychange', () => {}, { once: true });
    change(index);
  }),

  'composite signals with a task': inBatches(() => post(follow())),

  'composite signals that can be aborted': {
    run: inBatches(() => void TaskSignal.any([signal], { priority: signal })),
    control: inBatches(() => void AbortSignal.any([plain])),
  },

  // A listener left behind would keep the signal alive for ever.
  'composite signals that can be aborted, with a task': {
    run: inBatches(() => post(TaskSignal.any([signal]))),
    control: inBatches(() => listenForAWhile(AbortSignal.any([plain]), 'abort')),
  },
});
