'use strict';

// The addon in workers: at first in them only, where it is unloaded with each worker and loaded
// again by the next. Then environments end in each way while the main thread uses it as well.

const path = require('node:path');
const { Worker } = require('node:worker_threads');

const BODY = path.join(__dirname, '..', 'fixtures', 'worker-body.js');

// These end by themselves.
const ENDING = ['tasks', 'exit'];

function run(body) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(BODY, { workerData: { body, priority: 'user-visible' } });
    worker.on('error', reject).on('exit', resolve);
    if (!ENDING.includes(body)) worker.on('message', () => worker.terminate());
  });
}

async function main() {
  for (const body of ['tasks', 'delayed', 'tasks']) await run(body);
  const { scheduler } = require('../..');
  for (const body of [...ENDING, 'queued', 'delayed', 'running', 'flood']) await run(body);
  await scheduler.postTask(() => {}, { priority: 'background' });
}

main();
