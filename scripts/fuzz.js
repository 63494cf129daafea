'use strict';

// `npm run fuzz`: set-up, then random programs on the real loop, as many as wanted. Owns the
// arguments and what is printed; what a program is and when it fails is test/random-programs'
// matter.

require('./setup/check-node');
const { SetupError, runMain, say } = require('./setup/process');
const { prepare } = require('./setup');

const USAGE = `npm run fuzz -- [--seed N] [--count N] [--node MAJOR]
  --seed   the first seed, a whole number (by default one that the time gives)
  --count  how many seeds; each runs on each Node version (2000)
  --node   one of the supported Node versions alone, such as 20`;

const DEFAULT_COUNT = 2000;
const MAX_SEED = 2 ** 48;

// So many failures are made smaller: it takes some seconds for each.
const MAX_SHRUNK = 3;

// Every so many milliseconds there is a line on how far it is.
const PROGRESS = 5000;

function usageError(reason) {
  return new SetupError(`${reason}\n${USAGE}`);
}

function readArguments(args) {
  const options = {};
  for (let index = 0; index < args.length; index += 2) {
    const name = /^--(seed|count|node)$/.exec(args[index])?.[1];
    if (name === undefined) throw usageError(`There is no option ${args[index]}.`);
    const text = args[index + 1];
    const number = Number(text);
    if (!/^\d+$/.test(text ?? '') || number > MAX_SEED) {
      throw usageError(`${args[index]} takes a whole number, not ${text ?? 'nothing'}.`);
    }
    options[name] = number;
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

function describeShrunk({ seed }, shrunk) {
  if (shrunk === undefined) return `seed ${seed} does not fail again alone`;
  const { program, failure } = shrunk;
  const lines = [`smaller program of seed ${seed}: ${failure.rule}: ${failure.what}`];
  lines.push(...failure.trace.map((each) => `  ${each}`));
  lines.push('as a file for run.js:', JSON.stringify(program));
  return lines.join('\n');
}

async function fuzz({ seed = Date.now(), count = DEFAULT_COUNT, node }) {
  // Only here: it needs what set-up installs.
  const { mapSome, nodes } = require('../test/helpers-loop.js');
  const { describe, runBatch, shrinkFailure, split } = require('../test/random-programs/batch.js');
  const batches = split({ first: seed, count, nodes: chooseNodes(nodes, node) });
  const sum = { programs: 0, starts: 0, callbacks: 0, failures: [] };
  const counts = () => {
    const ran = `${sum.programs} programs, ${sum.starts} tasks, ${sum.callbacks} callbacks`;
    return `${ran}, ${sum.failures.length} failed`;
  };
  say(`seeds ${seed} to ${seed + count - 1} …`);
  let shown = Date.now();
  await mapSome(batches, async (batch) => {
    const result = await runBatch(batch);
    for (const key of ['programs', 'starts', 'callbacks']) sum[key] += result[key];
    for (const failure of result.failures) {
      sum.failures.push(failure);
      process.stdout.write(`\n${describe(failure)}\n\n`);
    }
    if (Date.now() - shown < PROGRESS) return;
    shown = Date.now();
    say(counts());
  });
  for (const failure of sum.failures.slice(0, MAX_SHRUNK)) {
    say(`making the program of seed ${failure.seed} smaller …`);
    process.stdout.write(`${describeShrunk(failure, await shrinkFailure(failure))}\n\n`);
  }
  const failed = [...new Set(sum.failures.map((failure) => failure.seed))].sort((a, b) => a - b);
  if (failed.length > 0) process.stdout.write(`seeds that failed: ${failed.join(' ')}\n`);
  process.stdout.write(`${counts()}\n`);
  return failed.length === 0 ? 0 : 1;
}

runMain(() => {
  const options = readArguments(process.argv.slice(2));
  prepare({ needNodes: true });
  return fuzz(options);
});
