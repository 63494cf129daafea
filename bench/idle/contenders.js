'use strict';

// The ways of doing background work beside requests, behind one interface: `start(piece)` calls
// `piece` again and again until `stop()`. Each is made in the thread that does the work.

const NAMES = {
  none: 'no background work',
  container: "uv-scheduler, 'container'",
  machine: "uv-scheduler, 'machine'",
  loop: "uv-scheduler, 'loop'",
  immediate: 'setImmediate',
  bullmq: "BullMQ's Worker",
  fleet: 'IdleWorker',
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

// A job consists of so many pieces. It pauses between them, as Workers do that share a process with
// requests.
const PIECES_OF_JOB = 20;

// Those that take jobs from a queue in Redis.
const QUEUED = ['bullmq', 'fleet'];

function createWorker({ redis, queue }) {
  const { Worker } = require('bullmq');
  const pause = () => new Promise((resolve) => setImmediate(resolve));
  return createJobWorker(Worker, pause, redis, queue);
}

function createIdleWorker({ redis, queue }) {
  const { scheduler } = require('../..');
  const { IdleWorker } = require('uv-scheduler/bullmq');
  return createJobWorker(IdleWorker, () => scheduler.yield(), redis, queue);
}

function createJobWorker(Worker, pause, redis, queue) {
  let work = null;
  const process = async () => {
    for (let i = 0; i < PIECES_OF_JOB; i++) {
      work();
      await pause();
    }
  };
  const worker = new Worker(queue, process, { connection: redis, autorun: false });
  worker.on('error', (error) => console.error(error.message));
  return {
    start(piece) {
      work = piece;
      if (worker.isPaused()) worker.resume();
      else worker.run();
    },
    stop: () => worker.pause(),
  };
}

/** @param {{ contender: string, redis?: object, queue?: string }} options */
function createContender(options) {
  switch (options.contender) {
    case 'none': return nothing;
    case 'immediate': return createImmediates();
    case 'bullmq': return createWorker(options);
    case 'fleet': return createIdleWorker(options);
    default: return createScheduled(options.contender);
  }
}

module.exports = { NAMES, PIECES_OF_JOB, QUEUED, createContender };
