'use strict';

// Runs random programs in child processes and reads their reports. Owns the way from a seed to the
// programs that failed, and to smaller ones that fail in the same way.

const path = require('node:path');
const { inspect } = require('node:util');
const fc = require('fast-check');
const { run } = require('../helpers/programs.js');
const { parameters, program, sample } = require('./arbitraries.js');

// Programs that share a process. The entries that one leaves behind may affect the next, and the
// first one of a process is its main script.
const PER_PROCESS = 25;

// Those of mix.js, which makes its programs itself.
const PER_MIX = 500;

// How the processes are started, in turn.
const HOSTS = [
  ['run.js', 'worker'],
  ['run-module.mjs', 'at-once'],
  ['run.js', 'main'],
  ['run-module.mjs', 'after-io'],
];

// Node's message about a top-level await that is pending at the end. Node 20 is silent.
const UNSETTLED = /^$|^Warning: Detected unsettled top-level await/;

// A failure may need luck.
const TRIES = 3;

// Milliseconds for making one program smaller.
const SHRINK_LIMIT = 30_000;

// A program's host, and whether its tasks are watched, depend only on its number.
function hostOf(number) {
  const block = Math.floor(number / PER_PROCESS);
  const isWatched = block % (2 * HOSTS.length) < HOSTS.length;
  return { host: HOSTS[block % HOSTS.length], isWatched };
}

// Splits `count` programs of a seed over Node versions: each runs on each of them.
function split({ seed, count, nodes }) {
  const programs = sample({ seed, count });
  const batches = [];
  for (let first = 0; first < count; first += PER_PROCESS) {
    const part = programs.slice(first, first + PER_PROCESS);
    for (const node of nodes) batches.push({ node, ...hostOf(first), seed, first, programs: part });
  }
  return batches;
}

// The one program at a path, as its number has it or made smaller.
function single({ seed, path, nodes }) {
  const number = Number(path.split(':')[0]);
  const programs = sample({ seed, path });
  return nodes.map((node) => ({ node, ...hostOf(number), seed, path, programs }));
}

async function runPrograms({ node, host: [file, how], isWatched }, programs) {
  const args = [path.join(__dirname, file), how, isWatched ? 'watched' : 'alone'];
  const input = JSON.stringify(programs);
  const { code, signal, stdout, stderr } = await run(node, args, { input });
  const reports = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const good = reports.filter(({ rule }) => rule === undefined);
  const violation = reports.find(({ rule }) => rule !== undefined);
  // The first program of a module may wait at its top level for what does not keep the process.
  const isStuck = file.endsWith('.mjs') && reports[0]?.isStuck === true;
  const hasEnded = isStuck ? code === 13 && UNSETTLED.test(stderr) : code === 0 && stderr === '';
  if (hasEnded && signal === null && good.length === programs.length) return { good };
  const what = `code ${code}, signal ${signal}, ${good.length} of ${programs.length} ended`;
  return { good, failure: violation ?? { rule: 'end', what, trace: stderr.split('\n') } };
}

// Runs one batch to its end, also after failures: what ran, and what failed.
async function runBatch(batch) {
  const sum = { programs: 0, starts: 0, callbacks: 0, failures: [] };
  for (let next = 0; next < batch.programs.length; next++) {
    const { good, failure } = await runPrograms(batch, batch.programs.slice(next));
    for (const { starts, callbacks } of good) {
      sum.programs++;
      sum.starts += starts;
      sum.callbacks += callbacks;
    }
    next += good.length;
    if (failure === undefined) continue;
    const path = batch.path ?? String(batch.first + next);
    sum.failures.push({ ...failure, batch, path, behind: good.length });
  }
  return sum;
}

// Splits `count` programs of mix.js, which is told to run them, over Node versions.
function splitMix({ seed, count, nodes }) {
  const firsts = Array.from({ length: Math.ceil(count / PER_MIX) }, (_, i) => i * PER_MIX);
  const partOf = (first) => ({ seed, first, count: Math.min(PER_MIX, count - first) });
  return firsts.flatMap((first) => nodes.map((node) => ({ node, ...partOf(first) })));
}

// Runs `count` programs of mix.js, and returns what is known of the first that failed.
async function runMix({ node, seed, first, count }) {
  const args = [path.join(__dirname, 'mix.js'), seed, first, count];
  const { code, signal, stdout, stderr } = await run(node, args);
  return code === 0 ? '' : `node ${node.version}, ${signal ?? code}: ${stdout}${stderr}`;
}

// Makes the program of a failure smaller as long as it fails by the same rule, in a process of its
// own: the smallest one, its path and its failure. Undefined if it does not fail alone.
async function shrink({ rule, batch, path }) {
  let smallest;
  const property = fc.asyncProperty(program, async (candidate) => {
    const { failure } = await runPrograms(batch, Array.from({ length: TRIES }, () => candidate));
    if (failure?.rule !== rule) return true;
    smallest = { program: candidate, failure };
    return false;
  });
  const { counterexamplePath } = await fc.check(property, {
    ...parameters({ seed: batch.seed, path }),
    numRuns: 1,
    interruptAfterTimeLimit: SHRINK_LIMIT,
  });
  return smallest && { ...smallest, path: counterexamplePath };
}

// Lines on a failure for a person to read.
const linesOn = (name, { rule, what, trace }, { seed, node }, path) => [
  `${name}: ${rule}: ${what}`,
  ...trace.map((each) => `  ${each}`),
  `again: npm run check fuzz -- --seed ${seed} --path ${path} --node ${node.major}`,
];

function describe(failure) {
  const { batch, path, behind } = failure;
  const how = batch.host.join(' ') + (batch.isWatched ? ', watched' : '');
  const name = `program ${path} on node ${batch.node.version}, ${how}`;
  const lines = linesOn(name, failure, batch, path);
  if (behind > 0) lines.push(`(it ran behind ${behind} others in one process)`);
  return lines.join('\n');
}

function describeShrunk({ batch, path }, shrunk) {
  if (shrunk === undefined) return `program ${path} does not fail again alone`;
  const lines = linesOn('smaller', shrunk.failure, batch, shrunk.path);
  lines.push(inspect(shrunk.program, { depth: Infinity, breakLength: 100 }));
  return lines.join('\n');
}

module.exports = { describe, describeShrunk, runBatch, runMix, shrink, single, split, splitMix };
