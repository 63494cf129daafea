'use strict';

// `npm run bench -- --portable`: the cost of a task on the portable host, in processes that take
// turns: with Node compared with the addon, with Bun and Deno compared with the polyfill and with
// the immediates of the runtime. As a program it is the process of a contender.

const { spawnSync } = require('node:child_process');
const path = require('node:path');
const report = require('../harness/report');
const { mediansOf } = require('../harness/statistics');
const { timePerTask, timeSerially } = require('./batches');
const { load } = require('./contenders');

const ROUNDS = 5;
const BATCH = 1000;
const SERIAL = 10_000;

// Each has its name in contenders.js. The portable host costs at most so many times as much.
const OURS = 'uv-scheduler';
const PORTABLE = { title: 'portable', name: OURS, env: { UV_SCHEDULER_PORTABLE: '1' } };
const ADDON = { title: 'addon', name: OURS, env: { UV_SCHEDULER_PORTABLE: '' }, most: 2.5 };
const PEERS = [
  { title: 'polyfill', name: 'scheduler-polyfill', most: 1 },
  { title: 'immediates', name: 'timers/promises setImmediate', most: 1 },
];

// Each resolves to ns.
const CASES = {
  batch: ({ post }) => timePerTask(BATCH, () => post),
  yields: (contender) => contender.inside(() => timeSerially(contender.yield, SERIAL)),
  settled: ({ post }) => timeSerially(() => post(() => {}), SERIAL),
};

// Measures each case, the second time when the code is warm.
async function measure(name, title) {
  const contender = await load(name);
  // Only libuv tells which I/O is ready.
  const isPortable = name === OURS && require('../..').configuration().mode === 'portable';
  if (isPortable !== (title === PORTABLE.title)) throw new Error(`this is not the ${title} host`);
  const found = {};
  for (const [key, run] of Object.entries(CASES)) {
    await run(contender);
    found[key] = await run(contender) / 1e3;
  }
  console.log(JSON.stringify(found));
  // The polyfill's ports keep the process alive.
  process.exit();
}

function start(command, { name, title, env }) {
  const [program, ...args] = [...command, __filename, name, title];
  const options = { encoding: 'utf8', env: { ...process.env, ...env } };
  const { status, stdout, stderr } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${path.basename(program)} ${title} failed: ${stderr}`);
  return JSON.parse(stdout);
}

// Returns the medians of the rounds in µs on a runtime, and the goals of the first contender, the
// portable host.
function compare(runtime, command, contenders) {
  const rounds = Array.from({ length: ROUNDS }, () =>
    contenders.map((contender) => start(command, contender)));
  const [portable, ...others] = contenders.map(({ title, most }, i) =>
    ({ name: title, most, ...mediansOf(rounds.map((found) => found[i])) }));
  const goals = others.flatMap(({ name, most, ...costs }) => Object.keys(CASES).map((key) => {
    const text = `${key} at most ${most} × as much as ${name}`;
    return report.atMost(runtime, text, portable[key] / costs[key], most);
  }));
  return { title: runtime, rows: [portable, ...others], goals };
}

const COLUMNS = [
  report.nameColumn(),
  ...Object.keys(CASES).map((key) => report.column(`${key}\nµs`, key, report.fixed(2))),
];

function main() {
  const { bun, deno } = require('../../test/ecosystem/runtimes');
  const cells = [
    compare('Node', [process.execPath], [PORTABLE, ADDON]),
    compare('Bun', [bun], [PORTABLE, ...PEERS]),
    compare('Deno', [deno, 'run', '--allow-all', '--no-lock'], [PORTABLE, ...PEERS]),
  ];
  const goals = cells.flatMap((cell) => cell.goals);
  const tables = report.terminalTables(cells, () => COLUMNS);
  process.stdout.write(`${tables}\n${report.goalLines(goals)}`);
  return goals.every(({ met }) => met) ? 0 : 1;
}

if (require.main === module) measure(...process.argv.slice(2));

module.exports = { main };
