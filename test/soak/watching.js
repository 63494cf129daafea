'use strict';

// Ten million tasks under a trace, and watching that begins and ends a hundred thousand times. The
// trace is written to the null device: what counts is what stays in memory.

const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const { devNull } = require('node:os');
const { setImmediate: turn } = require('node:timers/promises');
const { TaskController, monitorTasks, scheduler, traceTasks } = require('../..');
const { soak } = require('../helpers/memory.js');

const AT_ONCE = 1000;

const CHANNELS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((event) => {
  return `tracing:uv-scheduler:task:${event}`;
});
CHANNELS.push('uv-scheduler:task:posted', 'uv-scheduler:task:aborted');

// Runs `work(count)` between the beginning and the end of watching.
function watched(begin, work) {
  return async (count) => {
    const end = begin();
    try {
      return await work(count);
    } finally {
      end();
    }
  };
}

const trace = () => {
  const { stop } = traceTasks(devNull);
  return stop;
};

function monitor() {
  const begun = monitorTasks();
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

// Posts `count` tasks and continuations, of which some fail and some are aborted. Each callback is
// another function.
async function mixed(count) {
  let settled = 0;
  for (let first = 0; first < count; first += AT_ONCE) {
    const controller = new TaskController();
    const entries = [];
    for (let index = first; index < Math.min(count, first + AT_ONCE); index++) {
      const kind = index % 4;
      if (kind === 0) entries.push(scheduler.postTask(async () => index));
      if (kind === 1) entries.push(scheduler.postTask(() => Promise.reject(index)));
      if (kind === 2) entries.push(scheduler.yield());
      if (kind === 3) entries.push(scheduler.postTask(() => index, { signal: controller.signal }));
    }
    setImmediate(() => controller.abort());
    settled += (await Promise.allSettled(entries)).length;
  }
  return settled;
}

// Begins and ends watching `count` times, each time around a task. Some tasks still wait when the
// watching has ended.
function again(begin) {
  return async (count) => {
    let ran = 0;
    for (; ran < count; ran++) {
      const end = begin();
      const task = scheduler.postTask(() => ran);
      if (ran % 2 === 0) end();
      await task;
      if (ran % 2 === 1) end();
      if (ran % AT_ONCE === 0) await turn();
    }
    return ran;
  };
}

soak({
  'tasks under a trace': {
    count: 10_000_000,
    run: watched(trace, mixed),
  },

  'tasks while a monitor is on': {
    count: 1_000_000,
    run: watched(monitor, mixed),
  },

  'tasks while the channels have subscribers': {
    count: 1_000_000,
    run: watched(subscriber, mixed),
  },

  'monitors that were enabled and disabled': {
    count: 100_000,
    run: again(monitor),
  },

  'subscribers that came and left': {
    count: 100_000,
    run: again(subscriber),
  },

  'traces that were started and stopped': {
    count: 10_000,
    run: again(trace),
  },

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
