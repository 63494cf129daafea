'use strict';

// The jobs for BullMQ's Worker: a Redis of the benchmark's own, and a queue that never gets empty.
// Without a redis-server that row is left out; nothing is installed for it.

const { spawnSync } = require('node:child_process');

const { PIECES_OF_JOB } = require('./contenders');
const { PIECE_MS } = require('./work');

const QUEUE = 'idle';

const isThere = () => spawnSync('redis-server', ['--version']).status === 0;

// No processor does more jobs in a second.
const PER_SECOND = 2 * 1000 / (PIECES_OF_JOB * PIECE_MS);

const KEEP_NONE = { removeOnComplete: true, removeOnFail: true };

/** Starts Redis. Resolves to null where there is none. */
async function createJobs() {
  if (!isThere()) return null;
  const { Queue } = require('bullmq');
  const { Redis } = require('../../examples/fleet/redis');
  const redis = new Redis();
  await redis.start();
  const queue = new Queue(QUEUE, { connection: redis.connection });
  return {
    /** What the processes need to know. */
    settings: { redis: redis.connection, queue: QUEUE },
    /** Adds more jobs than can be done in so many seconds. */
    async fill(seconds) {
      await queue.drain();
      const count = Math.ceil(PER_SECOND * seconds);
      await queue.addBulk(Array.from({ length: count }, () =>
        ({ name: 'job', data: {}, opts: KEEP_NONE })));
    },
    async end() {
      await queue.close();
      await redis.remove();
    },
  };
}

const NO_JOBS = { settings: {}, async fill() {}, async end() {} };

module.exports = { NO_JOBS, createJobs };
