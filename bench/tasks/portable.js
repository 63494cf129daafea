'use strict';

// `npm run bench -- --portable`: the cost of a task on the portable host, in processes that take
// turns: with Node compared with the addon, with Bun and Deno compared with the polyfill and with
// the immediates of the runtime. Started with names it is one of these processes.

const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { load } = require('./contenders');

const ROUNDS = 5;
const BATCHES = 30;
const BATCH = 1000;
const SERIAL = 10_000;

// The most that a task may cost compared with the first contender of its runtime.
const MOST = 2.5;

// The names in contenders.js.
const CONTENDERS = {
  uv: 'uv-scheduler',
  polyfill: 'scheduler-polyfill',
  immediates: 'timers/promises setImmediate',
};

const CASES = {
  async batch(contender) {
    for (let i = 0; i < BATCHES; i++) {
      await Promise.all(Array.from({ length: BATCH }, () => contender.post(() => {})));
    }
    return BATCHES * BATCH;
  },
  yields: (contender) => contender.inside(async () => {
    for (let i = 0; i < SERIAL; i++) await contender.yield();
    return SERIAL;
  }),
  async settled(contender) {
    for (let i = 0; i < SERIAL; i++) await contender.post(() => {});
    return SERIAL;
  },
};

// Measures each case, the second time when the code is warm.
async function measure(name) {
  const contender = await load(CONTENDERS[name]);
  const found = {};
  for (const [title, run] of Object.entries(CASES)) {
    await run(contender);
    const begin = performance.now();
    const count = await run(contender);
    found[title] = (performance.now() - begin) * 1e3 / count;
  }
  console.log(JSON.stringify(found));
  // The polyfill's ports keep the process alive.
  process.exit();
}

function start(command, name, env) {
  const [program, ...args] = [...command, __filename, name];
  const options = { encoding: 'utf8', env: { ...process.env, ...env } };
  const { status, stdout, stderr } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${path.basename(program)} ${name} failed: ${stderr}`);
  return JSON.parse(stdout);
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

// The median of the rounds in µs, by contender and case.
function measureAll(command, contenders) {
  const rounds = Object.fromEntries(Object.keys(contenders).map((title) => [title, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [title, [name, env]] of Object.entries(contenders)) {
      rounds[title].push(start(command, name, env));
    }
  }
  return Object.fromEntries(Object.entries(rounds).map(([title, found]) => {
    const medians = Object.keys(CASES).map((key) => [key, median(found.map((one) => one[key]))]);
    return [title, Object.fromEntries(medians)];
  }));
}

// Prints the costs on a runtime. Returns the ratios of the portable host to each other contender.
function report(runtime, found) {
  for (const [title, costs] of Object.entries(found)) {
    const texts = Object.entries(costs).map(([key, cost]) => `${key} ${cost.toFixed(2)} µs`);
    console.log(`${runtime.padEnd(5)} ${title.padEnd(11)} ${texts.join('   ')}`);
  }
  const { portable, ...others } = found;
  return Object.entries(others).flatMap(([title, costs]) => {
    return Object.keys(CASES).map((key) => {
      const ratio = portable[key] / costs[key];
      const most = title === 'addon' ? MOST : 1;
      const text = `${ratio.toFixed(2)} × ${title}: ${ratio <= most ? 'reached' : 'MISSED'}`;
      console.log(`${runtime.padEnd(5)} ${key.padEnd(8)} ${text}`);
      return ratio <= most;
    });
  });
}

function main() {
  const { bun, deno } = require('../../test/ecosystem/runtimes');
  const portable = ['uv', { UV_SCHEDULER_PORTABLE: '1' }];
  const peers = { portable, polyfill: ['polyfill'], immediates: ['immediates'] };
  const reached = [
    ...report('Node', measureAll([process.execPath], {
      portable,
      addon: ['uv', { UV_SCHEDULER_PORTABLE: '' }],
    })),
    ...report('Bun', measureAll([bun], peers)),
    ...report('Deno', measureAll([deno, 'run', '--allow-all', '--no-lock'], peers)),
  ];
  return reached.every(Boolean) ? 0 : 1;
}

if (process.argv[2] in CONTENDERS && require.main === module) measure(process.argv[2]);

module.exports = { main };
