'use strict';

// Tasks of each kind, queued, delayed, aborted and moved, some of which wait when the process ends.

const { TaskController, TaskSignal, cancelIdleCallback, requestIdleCallback, scheduler } =
  require('../..');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

async function round(index) {
  const controller = new TaskController({ priority: PRIORITIES[index % 3] });
  const { signal } = controller;
  const composite = TaskSignal.any([signal], { priority: signal });
  const tasks = PRIORITIES.flatMap((priority) => [
    scheduler.postTask(() => scheduler.yield(), { priority }),
    scheduler.postTask(() => {}, { priority, delay: 1 }),
    scheduler.postTask(() => {}, { priority, delay: 60_000, signal }),
  ]);
  tasks.push(scheduler.postTask(async () => {
    await scheduler.yield();
    await scheduler.yield();
  }, { signal: composite }));
  tasks.push(scheduler.postTask(() => {
    throw new Error('a task that throws');
  }, { signal: composite }));
  tasks.push(new Promise((resolve) => requestIdleCallback(resolve, { timeout: 50 })));
  cancelIdleCallback(requestIdleCallback(() => {}, { timeout: 60_000 }));
  for (const priority of PRIORITIES) controller.setPriority(priority);
  setTimeout(() => controller.abort(), 3);
  await Promise.allSettled(tasks);
}

async function main() {
  for (let index = 0; index < 12; index++) await round(index);
  // More than the capacity that the tables keep when they are empty.
  await Promise.all(Array.from({ length: 1500 }, (_, index) => {
    const signal = index % 4 === 0 ? new TaskController().signal : undefined;
    return scheduler.postTask(() => {}, { delay: index % 3, signal });
  }));
  scheduler.postTask(() => {}, { signal: new TaskController().signal, delay: 60_000 });
  scheduler.postTask(() => process.exit());
  for (const priority of PRIORITIES) scheduler.postTask(() => {}, { priority });
}

main();
