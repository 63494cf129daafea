'use strict';

// Tasks that are watched in several ways at once, and each way of watching that begins and ends
// again and again. Each task has a label of its own. The trace is written to the null device: what
// counts is what stays in memory.

const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const { devNull } = require('node:os');
const { TaskController, scheduler } = require('../..');
const { monitorTasks, reportSlowTasks, traceTasks } = require('uv-scheduler/watch');
const { inBatches, soak } = require('../helpers/memory.js');

const CHANNELS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((event) =>
  `tracing:uv-scheduler:task:${event}`);
CHANNELS.push('uv-scheduler:task:posted', 'uv-scheduler:task:aborted');

const ignore = () => {};

// Each begins to watch, and returns a function that ends it.
const trace = () => traceTasks(devNull).stop;
const report = () => reportSlowTasks(ignore, { wait: 100, stacks: true }).stop;

function monitor() {
  const begun = monitorTasks({ window: 1000 });
  begun.enable();
  return () => begun.disable();
}

function subscriber() {
  const listener = () => {};
  for (const channel of CHANNELS) subscribe(channel, listener);
  return () => {
    for (const channel of CHANNELS) unsubscribe(channel, listener);
  };
}

// Tasks and continuations, of which some fail and some are aborted. Each callback is another
// function.
let controller = new TaskController();
const KINDS = [
  (index) => scheduler.postTask(async () => index, { label: `request ${index}` }),
  (index) => scheduler.postTask(() => Promise.reject(index)).catch(ignore),
  () => scheduler.yield(),
  (index) => scheduler.postTask(() => index, { signal: controller.signal }).catch(ignore),
];
const mixed = inBatches((index) => KINDS[index % KINDS.length](index), {
  release() {
    const current = controller;
    setImmediate(() => current.abort());
    controller = new TaskController();
  },
});

// Begins and ends watching, each time around a task. Some still wait when the watching has ended.
const again = (begin) => inBatches(async (index) => {
  const end = begin();
  const task = scheduler.postTask(() => index);
  if (index % 2 === 0) end();
  await task;
  if (index % 2 === 1) end();
}, { atOnce: 1 });

soak({
  // Watching keeps the more, the longer it goes on, but ever less of it: fewer tasks do not show
  // whether it ends.
  'tasks under a trace, a monitor, reports and subscribers': {
    count: 10_000_000,
    run: async (count) => {
      const ends = [trace(), monitor(), report(), subscriber()];
      await mixed(count);
      for (const end of ends) end();
      return count;
    },
  },

  'monitors that were enabled and disabled': { count: 100_000, run: again(monitor) },
  'subscribers that came and left': { count: 100_000, run: again(subscriber) },
  'traces that were started and stopped': { count: 10_000, run: again(trace) },

  'figures that were read': {
    count: 10_000,
    run: async (count) => {
      const begun = monitorTasks();
      begun.enable();
      let previous;
      for (let index = 0; index < count; index++) {
        await scheduler.postTask(() => {});
        previous = begun.utilization(previous);
        for (const { wait, queued } of Object.values(begun.priorities)) {
          void [wait.buckets, wait.sum, queued];
        }
        if (index % 100 === 0) void begun.priorities['user-visible'].wait.percentile(99);
      }
      begun.disable();
      return count;
    },
  },
});
