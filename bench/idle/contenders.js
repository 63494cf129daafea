'use strict';

// The ways of doing background work beside requests, behind one interface: `start(piece)` calls
// `piece` again and again until `stop()`. Each is made in the thread that does the work.

const NAMES = {
  none: 'no background work',
  container: "uv-scheduler, 'container'",
  machine: "uv-scheduler, 'machine'",
  loop: "uv-scheduler, 'loop'",
  immediate: 'setImmediate',
};

const nothing = { start() {}, stop() {} };

function createScheduled(idle) {
  const { TaskController, configure, scheduler } = require('../..');
  configure({ idle });
  let controller = null;
  return {
    start(piece) {
      controller = new TaskController({ priority: 'background' });
      const task = scheduler.postTask(async () => {
        for (;;) {
          piece();
          await scheduler.yield();
        }
      }, { signal: controller.signal });
      task.catch((error) => {
        if (error.name !== 'AbortError') throw error;
      });
    },
    stop: () => controller.abort(),
  };
}

function createImmediates() {
  let immediate = null;
  return {
    start(piece) {
      const next = () => {
        piece();
        immediate = setImmediate(next);
      };
      immediate = setImmediate(next);
    },
    stop: () => clearImmediate(immediate),
  };
}

function createContender(contender) {
  switch (contender) {
    case 'none': return nothing;
    case 'immediate': return createImmediates();
    default: return createScheduled(contender);
  }
}

module.exports = { NAMES, createContender };
