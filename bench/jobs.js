'use strict';

// Jobs per second of an IdleWorker beside those of a Worker of BullMQ, on an idle server with a
// Redis of its own: `node bench/jobs.js`. Rounds of the two alternate, so that both have the same
// machine; the figures are medians, and the last column is that of the ratios of neighbours.

const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { Queue, Worker } = require('bullmq');
const { scheduler } = require('uv-scheduler');
const { IdleWorker } = require('uv-scheduler/bullmq');
const { Redis } = require('../examples/fleet/redis.js');

const ROUNDS = 9;

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

const KINDS = [
  { type: Worker, giveWay: () => turn() },
  { type: IdleWorker, giveWay: () => scheduler.yield() },
];

const CASES = [
  { name: 'empty jobs, one at a time', count: 2_000, concurrency: 1, pieces: 0, wait: 0 },
  { name: 'empty jobs, ten at a time', count: 3_000, concurrency: 10, pieces: 0, wait: 0 },
  { name: 'jobs of 10 ms, one at a time', count: 60, concurrency: 1, pieces: 5, wait: 0 },
  { name: 'jobs of 10 ms, ten at a time', count: 60, concurrency: 10, pieces: 5, wait: 0 },
  { name: 'jobs that wait 5 ms, ten at a time', count: 600, concurrency: 10, pieces: 0, wait: 5 },
];

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

// Resolves to the jobs per second of a worker that finds a full queue.
async function measure(connection, { type, giveWay }, { count, concurrency, ...job }) {
  const queue = new Queue('jobs', { connection });
  await queue.obliterate({ force: true });
  const jobs = Array.from({ length: count }, () => ({ name: 'job', data: job }));
  await queue.addBulk(jobs);
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

// Resolves to the medians of both and that of their ratios.
async function compare(connection, each, rounds = ROUNDS) {
  const results = [];
  for (let i = 0; i < rounds; i++) {
    const [worker, idleWorker] = i % 2 === 0 ? KINDS : KINDS.toReversed();
    const pair = [
      await measure(connection, worker, each),
      await measure(connection, idleWorker, each),
    ];
    results.push(i % 2 === 0 ? pair : pair.toReversed());
  }
  const [expected, actual] = [0, 1].map((kind) => median(results.map((pair) => pair[kind])));
  return { expected, actual, ratio: median(results.map((pair) => pair[1] / pair[0])) };
}

async function main() {
  const redis = new Redis();
  await redis.start();
  try {
    for (const each of CASES) {
      // The first rounds are slower.
      await compare(redis.connection, each, 2);
      const { expected, actual, ratio } = await compare(redis.connection, each);
      console.log(
        `${each.name.padEnd(36)} Worker ${expected.toFixed(0).padStart(6)}/s   ` +
          `IdleWorker ${actual.toFixed(0).padStart(6)}/s   ratio ${ratio.toFixed(3)}`,
      );
    }
  } finally {
    await redis.remove();
  }
}

if (require.main === module) main();

module.exports = { CASES, compare };
