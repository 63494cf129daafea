'use strict';

// A worker of BullMQ whose jobs compute.

const { Worker } = require('bullmq');

async function plantedJob() {
  let sum = 0;
  for (let i = 0; i < 500_000_000; i++) sum += Math.sqrt(i);
  return sum;
}

const connection = { host: '127.0.0.1', port: Number(process.env.REDIS_PORT) };
const worker = new Worker('jobs', plantedJob, { connection });
worker.on('completed', () => console.log('completed'));
process.once('SIGTERM', () => worker.close());
