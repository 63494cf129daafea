'use strict';

// `npm run bench -- --portable`: the cost of a task on the portable host, in processes that take
// turns: with Node compared with the addon, with Bun and Deno compared with the polyfill and with
// the immediates of the runtime. As a program it is the process of a contender.

const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { mediansOf } = require('../harness/statistics');
const { timePerTask, timeSerially } = require('./batches');
const { load } = require('./contenders');

const ROUNDS = 5;
const BATCHES = 30;
const BATCH = 1000;
const SERIAL = 10_000;

// The most that a task may cost compared with these; with others, as much.
const MOST = { addon: 2.5 };

// Each has its name in contenders.js.
const PORTABLE = { title: 'portable', name: 'uv-scheduler', env: { UV_SCHEDULER_PORTABLE: '1' } };
const ADDON = { title: 'addon', name: 'uv-scheduler', env: { UV_SCHEDULER_PORTABLE: '' } };
const PEERS = [
  { title: 'polyfill', name: 'scheduler-polyfill' },
  { title: 'immediates', name: 'timers/promises setImmediate' },
];

// Each resolves to ns.
const CASES = {
  batch: ({ post }) => timePerTask(BATCH, BATCHES * BATCH, () => post),
  yields: (contender) => contender.inside(() => timeSerially(contender.yield, SERIAL)),
  settled: ({ post }) => timeSerially(() => post(() => {}), SERIAL),
};

// Measures each case, the second time when the code is warm.
async function measure(name) {
  const contender = await load(name);
  const found = {};
  for (const [title, run] of Object.entries(CASES)) {
    await run(contender);
    found[title] = await run(contender) / 1e3;
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

// Prints what the contenders { title, name, env } cost on a runtime, the medians of the rounds in
// µs. Returns whether the first one, the portable host, costs as little as it should.
function report(runtime, command, contenders) {
  const rounds = Array.from({ length: ROUNDS }, () =>
    contenders.map(({ name, env }) => start(command, name, env)));
  const print = (...texts) => console.log([runtime.padEnd(5), ...texts].join(' '));
  const [portable, ...others] = contenders.map(({ title }, i) => {
    const costs = mediansOf(rounds.map((found) => found[i]));
    const texts = Object.entries(costs).map(([key, cost]) => `${key} ${cost.toFixed(2)} µs`);
    print(title.padEnd(11), texts.join('   '));
    return { title, costs };
  });
  const verdicts = others.flatMap(({ title, costs }) => Object.keys(CASES).map((key) => {
    const ratio = portable.costs[key] / costs[key];
    const isReached = ratio <= (MOST[title] ?? 1);
    const verdict = isReached ? 'reached' : 'MISSED';
    print(key.padEnd(8), `${ratio.toFixed(2)} × ${title}: ${verdict}`);
    return isReached;
  }));
  return verdicts.every(Boolean);
}

function main() {
  const { bun, deno } = require('../../test/ecosystem/runtimes');
  const reached = [
    report('Node', [process.execPath], [PORTABLE, ADDON]),
    report('Bun', [bun], [PORTABLE, ...PEERS]),
    report('Deno', [deno, 'run', '--allow-all', '--no-lock'], [PORTABLE, ...PEERS]),
  ];
  return reached.every(Boolean) ? 0 : 1;
}

if (require.main === module) measure(process.argv[2]);

module.exports = { main };
