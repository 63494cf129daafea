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
    for (const node of nodes) {
      batches.push({ node, ...hostOf(first), seed, first, programs: part });
    }
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
  const result = await run(node, args, { input: JSON.stringify(programs) });
  const reports = result.stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const good = reports.filter(({ rule }) => rule === undefined);
  const isComplete = good.length === programs.length;
  return { good, failure: judge({ ...result, file }, reports, isComplete) };
}

// The fault of a child's end, if any.
function judge({ file, code, signal, stderr }, reports, isComplete) {
  const violation = reports.find(({ rule }) => rule !== undefined);
  if (violation !== undefined) return violation;
  // The first program of a module may wait at its top level for what does not keep the process.
  const isStuck = file.endsWith('.mjs') && reports[0]?.isStuck === true;
  const hasEnded = isStuck ? code === 13 && UNSETTLED.test(stderr) : code === 0 && stderr === '';
  if (hasEnded && signal === null && isComplete) return undefined;
  const what = `code ${code}, signal ${signal}, ${isComplete ? 'all' : 'not all'} programs ended`;
  return { rule: 'end', what, trace: stderr.split('\n') };
}

// Runs one batch to its end, also after failures: what ran, and what failed.
async function runBatch(batch) {
  const sum = { programs: 0, starts: 0, callbacks: 0, failures: [] };
  let next = 0;
  while (next < batch.programs.length) {
    const { good, failure } = await runPrograms(batch, batch.programs.slice(next));
    for (const { starts, callbacks } of good) {
      sum.programs++;
      sum.starts += starts;
      sum.callbacks += callbacks;
    }
    const failed = next + good.length;
    if (failure !== undefined) {
      const path = batch.path ?? String(batch.first + failed);
      sum.failures.push({ ...failure, batch, path, behind: good.length });
    }
    next = failed + 1;
  }
  return sum;
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

function command({ seed, node }, path) {
  return `npm run check fuzz -- --seed ${seed} --path ${path} --node ${node.major}`;
}

// A failure for a person to read.
function describe({ rule, what, trace, batch, path, behind }) {
  const { host, isWatched, node } = batch;
  const how = host.join(' ') + (isWatched ? ', watched' : '');
  const lines = [
    `program ${path} on node ${node.version}, ${how}: ${rule}: ${what}`,
    ...trace.map((each) => `  ${each}`),
    `again: ${command(batch, path)}`,
  ];
  if (behind > 0) lines.push(`(it ran behind ${behind} others in one process)`);
  return lines.join('\n');
}

function describeShrunk({ batch, path }, shrunk) {
  if (shrunk === undefined) return `program ${path} does not fail again alone`;
  const { program, failure } = shrunk;
  return [
    `smaller: ${failure.rule}: ${failure.what}`,
    ...failure.trace.map((each) => `  ${each}`),
    inspect(program, { depth: Infinity, breakLength: 100 }),
    `again: ${command(batch, shrunk.path)}`,
  ].join('\n');
}

module.exports = { describe, describeShrunk, runBatch, shrink, single, split };
