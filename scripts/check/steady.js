'use strict';

// `npm run check steady`: runs `npm test` again and again on a machine that holds it up. About once
// a second all of its processes stand still, and two other processes take what they get of the
// processors. A test that fails there depends on the clock, or on who comes first.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { prepare } = require('../setup');
const {
  ROOT, SetupError, inTurn, readArguments, runBeside, runQuietly, say, toNumber,
} = require('../setup/process');
const { stall, treeOf } = require('../setup/stalls');

const USAGE = `npm run check steady -- [--runs N] [--seed N] [FILE…]
  --runs   how often npm test runs (10), with the files that are named, or all
  --seed   what decides when its processes stand still, a whole number`;

const TEST = path.join(ROOT, 'scripts', 'test.js');

// The output of the runs, one file for each.
const OUTPUT = path.join(ROOT, 'target', 'steady');

// The time between two stalls, and that of one, in milliseconds: at least, and so much more.
const PAUSE = [600, 800];
const STALL = [100, 200];

const COMPILE = ['test', '--workspace', '--no-run'];

const BUSY = 2;
// Ends with this process, however that ends.
const BUSY_PROGRAM = `process.on('disconnect', process.exit);
  (function spin() {
    for (const end = Date.now() + 50; Date.now() < end;);
    setImmediate(spin);
  })();`;

// Far longer than a run takes, in milliseconds: one that reaches it hangs.
const LIMIT = 30 * 60_000;

// Returns a function that returns numbers from 0 to 1, which the seed decides.
function generator(seed) {
  let state = 1 + (seed % 2_147_483_646);
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function startBusy() {
  const options = { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] };
  const start = () => spawn(process.execPath, ['-e', BUSY_PROGRAM], options);
  return Array.from({ length: BUSY }, start);
}

// Resolves to how many stalls there were, once `run` has ended.
async function stallWhile(run, random, busy) {
  const draw = ([least, more]) => least + random() * more;
  const over = run.then(() => true, () => true);
  let stalls = 0;
  while (!(await Promise.race([over, sleep(draw(PAUSE), false)]))) {
    const others = treeOf(process.pid).filter((pid) => pid !== process.pid && !busy.has(pid));
    await stall(others, draw(STALL));
    stalls++;
  }
  return stalls;
}

// Runs the tests once. Resolves to the names of those that failed, or to how the run ended.
async function runOnce(number, { runs, names, random, busy }) {
  const start = performance.now();
  const run = runBeside(process.execPath, [TEST, ...names], { limit: LIMIT });
  const stalls = await stallWhile(run, random, busy);
  const { code, signal, text } = await run;
  const file = path.join(OUTPUT, `${number}.txt`);
  fs.writeFileSync(file, text);
  const failed = new Set(Array.from(text.matchAll(/^failed: (.*)$/gm), ([, name]) => name));
  const [counts] = /^\d+ passed, \d+ failed$/m.exec(text) ?? ['no counts'];
  const end = signal ?? `exit code ${code}`;
  if (code !== 0 && failed.size === 0) failed.add(`the whole run: ${end}`);
  const time = `${Math.round((performance.now() - start) / 1000)} s`;
  say(`run ${number} of ${runs}: ${counts}, ${end}, ${time}, ${stalls} stalls; ${file}`);
  return failed;
}

module.exports = async (args) => {
  const text = { type: 'string' };
  const { names, ...given } = readArguments(args, USAGE, { runs: text, seed: text }, true);
  const runs = toNumber('runs', given.runs, USAGE) ?? 10;
  const seed = toNumber('seed', given.seed, USAGE, 0) ?? Date.now() % 1e9;
  if (process.platform !== 'linux') throw new SetupError('It runs on Linux only.');
  // Nothing is set up or compiled any more when the stalls begin.
  const env = await prepare({ needCargo: names.length === 0, needNodes: true });
  if (env !== null) runQuietly('The Rust tests do not compile.', 'cargo', COMPILE, { env });
  fs.rmSync(OUTPUT, { recursive: true, force: true });
  fs.mkdirSync(OUTPUT, { recursive: true });
  for (const name of ['SIGTERM', 'SIGHUP']) process.once(name, () => process.exit(1));
  say(`seed ${seed} …`);
  const children = startBusy();
  const busy = new Set(children.map(({ pid }) => pid));
  const options = { runs, names, random: generator(seed), busy };
  const times = new Map();
  try {
    const numbers = Array.from({ length: runs }, (_, index) => index + 1);
    for (const failed of await inTurn(numbers, (number) => runOnce(number, options))) {
      for (const name of failed) times.set(name, (times.get(name) ?? 0) + 1);
    }
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
  const sorted = [...times].sort(([, one], [, other]) => other - one);
  for (const [name, count] of sorted) {
    process.stdout.write(`failed in ${count} of ${runs} runs: ${name}\n`);
  }
  process.stdout.write(`${runs} runs, ${times.size} tests failed in some of them\n`);
  return times.size === 0 ? 0 : 1;
};
