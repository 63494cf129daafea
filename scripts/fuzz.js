'use strict';

// `npm run fuzz`: runs set-up, then the given number of random programs on the real loop. This file
// handles the arguments and the output; test/random-programs defines the programs and when they
// fail.

require('./setup/check-node');
const { SetupError, runMain, say } = require('./setup/process');
const { prepare } = require('./setup');

const USAGE = `npm run fuzz -- [--seed N] [--count N] [--node MAJOR] [--path PATH]
  --seed   what decides the programs, a whole number (by default one that the time gives)
  --count  how many programs; each runs twice on each Node version (2000)
  --node   one of the supported Node versions alone, such as 20
  --path   the one program of the seed that a failure was reported with, such as 7 or 7:0:2`;

const DEFAULT_COUNT = 2000;

// fast-check's seeds have 32 bits.
const MAX_NUMBER = 2 ** 31 - 1;

const FORMATS = { seed: /^\d+$/, count: /^\d+$/, node: /^\d+$/, path: /^\d+(:\d+)*$/ };

// The most failures to shrink: each takes up to a minute.
const MAX_SHRUNK = 3;

// The time between lines of progress, in milliseconds.
const PROGRESS = 5000;

function usageError(reason) {
  return new SetupError(`${reason}\n${USAGE}`);
}

function readArguments(args) {
  const options = {};
  for (let index = 0; index < args.length; index += 2) {
    const name = /^--(seed|count|node|path)$/.exec(args[index])?.[1];
    if (name === undefined) throw usageError(`There is no option ${args[index]}.`);
    const text = args[index + 1] ?? '';
    if (!FORMATS[name].test(text) || text.split(':').some((part) => Number(part) > MAX_NUMBER)) {
      throw usageError(`${args[index]} takes no ${text === '' ? 'empty value' : text}.`);
    }
    options[name] = name === 'path' ? text : Number(text);
  }
  if (options.count === 0) throw usageError('--count must be at least 1.');
  return options;
}

function chooseNodes(nodes, major) {
  if (major === undefined) return nodes;
  const chosen = nodes.filter((node) => node.major === major);
  if (chosen.length > 0) return chosen;
  const majors = nodes.map((node) => node.major).join(', ');
  throw usageError(`--node takes one of ${majors}, not ${major}.`);
}

class Counts {
  failures = [];
  #sum = { programs: 0, starts: 0, callbacks: 0 };

  add({ failures, ...counts }) {
    this.failures.push(...failures);
    for (const [name, count] of Object.entries(counts)) this.#sum[name] += count;
  }

  toString() {
    const { programs, starts, callbacks } = this.#sum;
    const ran = `${programs} programs, ${starts} tasks, ${callbacks} callbacks`;
    return `${ran}, ${this.failures.length} failed`;
  }
}

async function fuzz({ seed = Date.now() % MAX_NUMBER, count = DEFAULT_COUNT, node, path }) {
  // These modules need packages that set-up installs.
  const { mapSome, nodes: all } = require('../test/helpers/loop.js');
  const random = require('../test/random-programs/batch.js');
  const options = { seed, count, path, nodes: chooseNodes(all, node) };
  const batches = path === undefined ? random.split(options) : random.single(options);
  const counts = new Counts();
  say(`seed ${seed} …`);
  let shown = Date.now();
  await mapSome(batches, async (batch) => {
    const result = await random.runBatch(batch);
    counts.add(result);
    for (const failure of result.failures) {
      process.stdout.write(`\n${random.describe(failure)}\n\n`);
    }
    if (Date.now() - shown < PROGRESS) return;
    shown = Date.now();
    say(String(counts));
  });
  for (const failure of counts.failures.slice(0, MAX_SHRUNK)) {
    say(`making program ${failure.path} smaller …`);
    process.stdout.write(`${random.describeShrunk(failure, await random.shrink(failure))}\n\n`);
  }
  process.stdout.write(`${counts}\n`);
  return counts.failures.length === 0 ? 0 : 1;
}

runMain(() => {
  const options = readArguments(process.argv.slice(2));
  prepare({ needNodes: true });
  return fuzz(options);
});
