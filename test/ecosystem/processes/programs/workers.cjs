'use strict';

// Logs what the threads of a process that has preloaded register log: worker_threads inherit the
// flags of the process.

const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const { runTasks } = require('./tasks.cjs');

async function collect() {
  const lines = [];
  await runTasks((line) => lines.push(line));
  return lines.join(' ');
}

async function main() {
  const workers = [1, 2].map(() => new Promise((resolve, reject) => {
    new Worker(__filename).once('message', resolve).once('error', reject);
  }));
  const all = await Promise.all([collect(), ...workers]);
  console.log(all.join('\n'));
}

if (isMainThread) main();
else collect().then((text) => parentPort.postMessage(text));
