'use strict';

// `node --expose-gc test/soak/sampler.js [seconds]`: samples a thread, that does all kinds of work,
// a thousand times a second for this long (default: 20), with samplers and reports with stacks that
// start and stop. Exits with 1 if a sample has the context of other code, if stacks stay away, or
// if memory has grown.

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const { setImmediate: turn } = require('node:timers/promises');
const { Worker } = require('node:worker_threads');
const uv = require('../..');
const { reportSlowTasks } = require('uv-scheduler/watch');
const { busy } = require('../helpers/busy.js');

const { watch } = uv[Symbol.for('uv-scheduler.internal')];

// In MB: resident memory varies by some.
const MOST_GROWTH = 30;

const store = new AsyncLocalStorage();
let running;
let samples = 0;
let wrong = 0;
let stacks = 0;

function take() {
  samples++;
  if (running !== undefined && store.getStore() !== running) wrong++;
}

// fixtures/sampler.js has work of other kinds.
const KINDS = [
  () => busy(3),
  () => global.gc(),
  () => JSON.parse(JSON.stringify(Array.from({ length: 20_000 }, String))),
];

const work = (kind, name) => store.run(name, async () => {
  for (let i = 0; i < 2; i++) {
    running = name;
    kind();
    running = undefined;
    await turn();
  }
});

async function round(number) {
  const sampler = watch.startSampler(take, 1);
  const { stop } = reportSlowTasks(({ stack }) => (stacks += Math.sign(stack.length)),
    { stacks: true, duration: 30 });
  const before = samples;
  const worker = new Worker('setTimeout(() => {}, 5)', { eval: true });
  for (const end = performance.now() + 200; performance.now() < end || samples === before;) {
    sampler.setBusy(true);
    await Promise.all(KINDS.map(work));
    busy(20 + 60 * Math.random());
    sampler.setBusy(false);
    await turn();
  }
  sampler.stop();
  // Else both threads go on.
  if (number % 3 > 0) stop();
  else setTimeout(stop, 200 * Math.random());
  if (number % 2 === 0) void worker.terminate();
  global.gc();
  return process.memoryUsage.rss() / 2 ** 20;
}

async function main(seconds) {
  const measured = [];
  for (const end = performance.now() + seconds * 1e3; performance.now() < end;) {
    measured.push(await round(measured.length));
  }
  const quarter = measured.length >> 2;
  const lowest = (from, to) => Math.min(...measured.slice(from, to));
  const [before, after] = [lowest(quarter, 2 * quarter), lowest(3 * quarter)];
  console.log(`${measured.length} samplers, ${samples} samples, ${wrong} of other code; ` +
    `${stacks} stacks; ${before.toFixed(1)}, then ${after.toFixed(1)} MB are resident`);
  assert.equal(wrong, 0);
  assert.ok(stacks > 0);
  assert.ok(after - before < MOST_GROWTH);
}

main(Number(process.argv[2] ?? 20));
