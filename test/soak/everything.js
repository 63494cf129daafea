'use strict';

// Ten million tasks, each with a label of its own, while every way to watch is on, and stays on: so
// what watching keeps of each task counts. It keeps the more, the longer it goes on, but ever less
// of it: fewer tasks do not show whether it ends.

const { subscribe } = require('node:diagnostics_channel');
const { devNull } = require('node:os');
const { monitorTasks, reportSlowTasks, scheduler, traceTasks } = require('../..');
const { inBatches, soak } = require('../helpers/memory.js');

monitorTasks({ window: 1000 }).enable();
reportSlowTasks(() => {}, { wait: 100, stacks: true });
traceTasks(devNull);
for (const event of ['start', 'end', 'asyncStart', 'asyncEnd', 'error']) {
  subscribe(`tracing:uv-scheduler:task:${event}`, () => {});
}
for (const event of ['posted', 'aborted']) subscribe(`uv-scheduler:task:${event}`, () => {});

soak({
  'tasks while everything watches, each with a label': {
    count: 10_000_000,
    run: inBatches((index) => scheduler.postTask(() => {}, { label: `request ${index}` })),
  },
});
