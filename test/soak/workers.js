'use strict';

// `node test/soak/workers.js [count [allowed]]`: starts and ends this many workers (default: 1000)
// in waves, in every state of fixtures/worker-body.js in which a worker can be ended or ends by
// itself. Prints how the resident memory has grown, and exits with 1 if each worker leaves more
// than the allowed KiB behind (default: 16).
//
// Freed memory is not always returned, and a process takes a while to reach its usual size. So the
// median of the second quarter of the waves is compared with that of the last quarter.

const assert = require('node:assert').strict;
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');
const { Worker } = require('node:worker_threads');

const BODY = path.join(__dirname, '..', 'fixtures', 'worker-body.js');
const WAVE = 4;

const ENDED = [
  'idle', 'queued', 'delayed', 'running', 'checkpoint', 'flood', 'background', 'microtasks',
  'ticks', 'idle callback', 'held back', 'yields',
];
const ENDING = { 'tasks': 0, 'io': 0, 'beforeExit': 0, 'exit': 9, 'throw': 1, 'reject': 1 };
const BODIES = [...ENDED, ...Object.keys(ENDING)];

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');

// Starts one worker, and checks that it ends as it should.
async function makeAndEnd(body) {
  const worker = new Worker(BODY, { workerData: { body, priority: 'background' } });
  worker.on('error', () => {});
  if (!(body in ENDING)) worker.once('message', () => worker.terminate());
  const code = await new Promise((resolve) => worker.on('exit', resolve));
  assert.equal(code, ENDING[body] ?? 1, body);
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

async function main(count, allowed) {
  const memory = [];
  for (let made = 0; made < count; made += WAVE) {
    const numbers = Array.from({ length: WAVE }, (_, index) => made + index);
    await Promise.all(numbers.map((number) => makeAndEnd(BODIES[number % BODIES.length])));
    collectGarbage();
    memory.push(process.memoryUsage.rss() / 1024);
  }
  const quarter = memory.length >> 2;
  const before = median(memory.slice(quarter, 2 * quarter));
  const after = median(memory.slice(-quarter));
  // From the middle of one quarter to the middle of the other.
  const each = (after - before) / (2 * quarter * WAVE);
  console.log(`${memory.length * WAVE} workers ended: ${before}, then ${after} KiB are resident: ` +
    `${each.toFixed(1)} for each worker`);
  process.exitCode = each <= allowed ? 0 : 1;
}

main(Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 16));
