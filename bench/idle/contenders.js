'use strict';

// The ways of doing background work beside requests, behind one interface: `start(piece)` calls
// `piece` again and again until `stop()`. Each is made in the thread that does the work. As a
// worker thread, this file does it when its server says so.

const { isMainThread, parentPort, workerData } = require('node:worker_threads');
const { indexWords, warmUp } = require('./work');

const NAMES = {
  none: 'no background work',
  container: "uv-scheduler, 'container'",
  machine: "uv-scheduler, 'machine'",
  loop: "uv-scheduler, 'loop'",
  immediate: 'setImmediate',
};

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

// The others are those of the scheduler.
const CREATE = { none: () => ({ start() {}, stop() {} }), immediate: createImmediates };

// The work of one thread. `pieces` are the counts of all, in memory that they share.
function createBackground({ contender, sizes }, pieces, thread) {
  const { start, stop } = (CREATE[contender] ?? createScheduled)(contender);
  const piece = () => {
    indexWords(sizes.piece);
    pieces[thread] += 1;
  };
  return { start: () => start(piece), stop };
}

function obeyServer({ options, pieces, thread }) {
  warmUp(options.sizes);
  const background = createBackground(options, pieces, thread);
  parentPort.on('message', (command) => background[command]());
  parentPort.postMessage('ready');
}

if (!isMainThread) obeyServer(workerData);

module.exports = { NAMES, createBackground };
