'use strict';

// The addon in workers only: it is unloaded with each worker and loaded again by the next.

const path = require('node:path');
const { Worker } = require('node:worker_threads');

const BODY = path.join(__dirname, '..', 'fixtures', 'worker-body.js');

function run(body) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(BODY, { workerData: { body } });
    worker.on('error', reject).on('exit', resolve);
    if (body !== 'tasks') worker.on('message', () => worker.terminate());
  });
}

async function main() {
  for (const body of ['tasks', 'delayed', 'tasks']) await run(body);
}

main();
