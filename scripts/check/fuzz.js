'use strict';

// `npm run check fuzz`: runs set-up, then random programs on the real loop. This file handles the
// arguments and the output; test/random-programs defines the programs and when they fail.

const { prepare } = require('../setup');
const { readArguments, say, toNumber, usageError } = require('../setup/process');
const { chooseNodes } = require('../setup/programs');

const USAGE = `npm run check fuzz -- [--seed N] [--count N] [--node MAJOR] [--path PATH]
  --seed   what decides the programs, a whole number (by default one that the time gives)
  --count  how many programs; each runs on each Node version (2000)
  --node   one of the supported Node versions alone, such as 20
  --path   the one program of the seed that a failure was reported with, such as 7 or 7:0:2`;

// fast-check's seeds have 32 bits.
const MAX_SEED = 2 ** 31 - 1;

// The most failures to shrink: each takes up to a minute.
const MAX_SHRUNK = 3;

// The time between lines of progress, in milliseconds.
const PROGRESS = 5000;

function readOptions(args) {
  const text = { type: 'string' };
  const options = { seed: text, count: text, node: text, path: text };
  const { seed, count, node, path } = readArguments(args, USAGE, options);
  if (path !== undefined && !/^\d{1,9}(:\d{1,9})*$/.test(path)) {
    throw usageError(`--path takes numbers with colons between them, not "${path}"`, USAGE);
  }
  return {
    seed: toNumber('seed', seed, USAGE, 0) ?? Date.now() % MAX_SEED,
    count: toNumber('count', count, USAGE) ?? 2000,
    node,
    path,
  };
}

const describeCounts = ({ programs, starts, callbacks, failures }) =>
  `${programs} programs, ${starts} tasks, ${callbacks} callbacks, ${failures.length} failed`;

module.exports = async (args) => {
  const { seed, count, node, path } = readOptions(args);
  await prepare({ needNodes: true });
  // These modules need packages that set-up installs.
  const { mapSome } = require('../../test/helpers/loop.js');
  const random = require('../../test/random-programs/batch.js');
  const options = { seed, count, path, nodes: chooseNodes(node ?? 'all') };
  const batches = path === undefined ? random.split(options) : random.single(options);
  const counts = { programs: 0, starts: 0, callbacks: 0, failures: [] };
  say(`seed ${seed} …`);
  let shown = Date.now();
  await mapSome(batches, async (batch) => {
    const { failures, ...more } = await random.runBatch(batch);
    counts.failures.push(...failures);
    for (const [name, count] of Object.entries(more)) counts[name] += count;
    for (const failure of failures) {
      process.stdout.write(`\n${random.describe(failure)}\n\n`);
    }
    if (Date.now() - shown < PROGRESS) return;
    shown = Date.now();
    say(describeCounts(counts));
  });
  let hasMixFailed = false;
  const mixes = path === undefined ? random.splitMix(options) : [];
  await mapSome(mixes, async (mix) => {
    const failure = await random.runMix(mix);
    counts.programs += mix.count;
    hasMixFailed ||= failure !== '';
    if (failure !== '') process.stdout.write(`\n${failure}\n\n`);
  });
  for (const failure of counts.failures.slice(0, MAX_SHRUNK)) {
    say(`making program ${failure.path} smaller …`);
    process.stdout.write(`${random.describeShrunk(failure, await random.shrink(failure))}\n\n`);
  }
  process.stdout.write(`${describeCounts(counts)}\n`);
  return counts.failures.length === 0 && !hasMixFailed ? 0 : 1;
};
