'use strict';

// `node --expose-gc test/soak/sampler.js [seconds]`: samples a thread, that does all kinds of work,
// a thousand times a second for this long (default: 20), with samplers and reports with stacks that
// start and stop, workers that begin and end, garbage, exceptions and native calls. Exits with 1 if
// a sample has the context of other code, if samples or stacks stay away, or if memory has grown.

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const { execFileSync } = require('node:child_process');
const { pbkdf2Sync } = require('node:crypto');
const { setImmediate: turn } = require('node:timers/promises');
const { Worker } = require('node:worker_threads');
const uv = require('../..');
const { reportSlowTasks } = require('uv-scheduler/watch');

const { watch } = uv[Symbol.for('uv-scheduler.internal')];

const EVERY = 1;

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

function spin(ms) {
  for (const end = performance.now() + ms; performance.now() < end;);
}

const kinds = {
  compute: () => spin(3),
  garbage: () => Array.from({ length: 50_000 }, (_, index) => ({ index })),
  expression: () => /^(a+)+$/.test(`${'a'.repeat(18)}b`),
  json: () => JSON.parse(JSON.stringify(Array.from({ length: 20_000 }, String))),
  native: () => pbkdf2Sync('', '', 5000, 64, 'sha512'),
  exceptions() {
    for (let i = 0; i < 5000; i++) {
      try {
        throw new Error(`${i}`);
      } catch {
        // Caught.
      }
    }
  },
  collect: () => global.gc(),
};

async function work(name) {
  await store.run(name, async () => {
    for (const isFirst of [true, false]) {
      running = name;
      kinds[name]();
      running = undefined;
      if (isFirst) await turn();
    }
  });
}

function start() {
  const sampler = watch.startSampler(take, EVERY);
  sampler.setBusy(true);
  return sampler;
}

async function round(number) {
  const sampler = start();
  const { stop } = reportSlowTasks(({ stack }) => (stacks += stack.length > 0 ? 1 : 0),
    { stacks: true, duration: 30 });
  const before = samples;
  const worker = new Worker('setTimeout(() => {}, 5)', { eval: true });
  const end = performance.now() + 200;
  do {
    await Promise.all(Object.keys(kinds).map(work));
    spin(20 + 60 * Math.random());
    sampler.setBusy(false);
    await turn();
    sampler.setBusy(true);
  } while (performance.now() < end || samples === before);
  if (number % 25 === 0) execFileSync(process.execPath, ['--version']);
  sampler.stop();
  // Else both threads go on.
  if (number % 3 > 0) stop();
  else setTimeout(stop, 200 * Math.random());
  if (number % 2 === 0) void worker.terminate();
}

const memory = () => process.memoryUsage.rss() / 2 ** 20;

async function main(seconds) {
  const begun = performance.now();
  const measured = [];
  for (let number = 0; performance.now() - begun < seconds * 1e3; number++) {
    await round(number);
    global.gc();
    measured.push(memory());
  }
  const lowest = (from, to) => Math.min(...measured.slice(from, to));
  const [half, quarter] = [measured.length >> 1, measured.length >> 2];
  const [before, after] = [lowest(quarter, half), lowest(half + quarter)];
  console.log(`${measured.length} samplers, ${samples} samples, ${wrong} of other code; ` +
    `${stacks} stacks; ` +
    `${before.toFixed(1)}, then ${after.toFixed(1)} MB are resident`);
  assert.equal(wrong, 0);
  assert.ok(stacks > 0);
  assert.ok(after - before < MOST_GROWTH);
}

main(Number(process.argv[2] ?? 20));
