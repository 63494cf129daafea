'use strict';

// Prints what the threads of a process that has preloaded register have run, and the workers of a
// cluster: both inherit the flags of the process.

const cluster = require('node:cluster');
const { once } = require('node:events');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const { runTasks } = require('./tasks.cjs');

async function main() {
  const workers = [new Worker(__filename), new Worker(__filename), cluster.fork(), cluster.fork()];
  const texts = workers.map(async (worker) => (await once(worker, 'message'))[0]);
  for (const text of await Promise.all([runTasks(), ...texts])) console.log(text);
}

if (!isMainThread) runTasks().then((text) => parentPort.postMessage(text));
else if (cluster.isPrimary) main();
else runTasks().then((text) => process.send(text, () => process.disconnect()));
