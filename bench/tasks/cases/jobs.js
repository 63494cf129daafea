'use strict';

// Measures the jobs per second of an IdleWorker beside those of a Worker of BullMQ, on an idle
// server with a Redis of its own. The two take turns, so that both have the same machine: the value
// is the ratio of two neighbours.

const { spawnSync } = require('node:child_process');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');

function compute(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

// A job computes in pieces of 2 ms, and then waits.
async function work({ pieces, wait }, giveWay) {
  for (let i = 0; i < pieces; i++) {
    compute(2);
    await giveWay();
  }
  if (wait > 0) await sleep(wait);
}

function createKinds() {
  const { Worker } = require('bullmq');
  const { scheduler } = require('uv-scheduler');
  const { IdleWorker } = require('uv-scheduler/bullmq');
  return {
    worker: { type: Worker, giveWay: () => turn() },
    idleWorker: { type: IdleWorker, giveWay: () => scheduler.yield() },
  };
}

const ROWS = {
  'of 10 ms, one at a time': { count: 60, concurrency: 1, pieces: 5, wait: 0 },
  'of 10 ms, ten at a time': { count: 60, concurrency: 10, pieces: 5, wait: 0 },
  'that wait 5 ms, ten at a time': { count: 600, concurrency: 10, pieces: 0, wait: 5 },
  'that do nothing, one at a time': { count: 2_000, concurrency: 1, pieces: 0, wait: 0 },
  'that do nothing, ten at a time': { count: 3_000, concurrency: 10, pieces: 0, wait: 0 },
};

// Resolves to the jobs per second of a worker that finds a full queue.
async function measureWorker(connection, { type, giveWay }, { count, concurrency, ...job }) {
  const { Queue } = require('bullmq');
  const queue = new Queue('jobs', { connection });
  await queue.obliterate({ force: true });
  await queue.addBulk(Array.from({ length: count }, () => ({ name: 'job', data: job })));
  const options = { connection, concurrency, autorun: false };
  const worker = new type(queue.name, ({ data }) => work(data, giveWay), options);
  let completed = 0;
  const done = new Promise((resolve) => {
    worker.on('completed', () => {
      if (++completed === count) resolve();
    });
  });
  await worker.waitUntilReady();
  const start = performance.now();
  void worker.run();
  await done;
  const seconds = (performance.now() - start) / 1000;
  await worker.close();
  await queue.close();
  return count / seconds;
}

/** Resolves to the jobs per second of both workers; the order of the two is that of `round`. */
async function measurePair(connection, job, round) {
  const kinds = Object.entries(createKinds());
  const pair = {};
  for (const [name, kind] of round % 2 === 0 ? kinds : kinds.reverse()) {
    pair[name] = await measureWorker(connection, kind, job);
  }
  return pair;
}

let redis = null;
let rounds = 0;

async function measure(row, { isWarmUp }) {
  if (spawnSync('redis-server', ['--version']).status !== 0) return 'missing';
  if (redis === null) {
    const { Redis } = require('../../../examples/fleet/redis.js');
    redis = new Redis();
    await redis.start();
  }
  // The first rounds are slower.
  if (isWarmUp) await measurePair(redis.connection, ROWS[row], 1);
  const { worker, idleWorker } = await measurePair(redis.connection, ROWS[row], rounds++);
  return { value: idleWorker / worker, details: { Worker: worker, IdleWorker: idleWorker } };
}

function jobCases() {
  return [{
    name: 'jobs',
    title: 'jobs per second of an IdleWorker, compared with a Worker of BullMQ',
    unit: '×',
    details: { Worker: '/s', IdleWorker: '/s' },
    rows: Object.keys(ROWS),
    processes: 'each row',
    isLong: true,
    maxRounds: Infinity,
    measure,
    close: () => redis?.remove(),
  }];
}

module.exports = { jobCases, measurePair };
