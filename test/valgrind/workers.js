'use strict';

// Environments that end in each way, while the main thread uses the addon as well.

const path = require('node:path');
const { Worker } = require('node:worker_threads');
const { scheduler } = require('../..');

const BODY = path.join(__dirname, '..', 'fixtures', 'worker-body.js');

function run(body, isTerminated) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(BODY, { workerData: { body, priority: 'user-visible' } });
    worker.on('error', reject).on('exit', resolve);
    if (isTerminated) worker.on('message', () => worker.terminate());
  });
}

async function main() {
  for (const body of ['tasks', 'exit']) await run(body, false);
  for (const body of ['queued', 'delayed', 'running', 'flood']) await run(body, true);
  await scheduler.postTask(() => {}, { priority: 'background' });
}

main();
