'use strict';

// p-queue as a contender: concurrency 1, with its priorities. It is an ES module. Its tasks follow
// each other in microtasks, so it never leaves the current callback.

async function load() {
  const { default: PQueue } = await import('p-queue');
  const queue = new PQueue({ concurrency: 1 });
  return {
    post: (task) => queue.add(task),
    prioritized: (task, level) => queue.add(task, { priority: -level }),
    yield: () => queue.add(() => {}),
    // It shifts and splices one array, which is slow with many tasks.
    limits: { post: 1e4, prioritized: 1e4 },
  };
}

module.exports = { load };
