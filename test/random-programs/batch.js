'use strict';

// Runs random programs in child processes and reads their reports. Owns the way from a range of
// seeds to the seeds that failed; knows nothing of programs and rules.

const path = require('node:path');
const { run } = require('../helpers-loop.js');
const { generate } = require('./generator.js');
const { shrink } = require('./shrink.js');

const RUN = path.join(__dirname, 'run.js');

// Programs that share a process. What one leaves behind may matter to the next, and the first one
// of a process is its main script.
const PER_PROCESS = 50;

// Splits a range of seeds over Node versions: each seed runs on each of them. Every other process
// has its programs in a worker.
function split({ first, count, nodes, perProcess = PER_PROCESS }) {
  const batches = [];
  for (let seed = first; seed < first + count; seed += perProcess) {
    const size = Math.min(perProcess, first + count - seed);
    for (const node of nodes) {
      const isInWorker = batches.length % 3 === 2;
      batches.push({ node, first: seed, count: size, isInWorker });
    }
  }
  return batches;
}

function command({ isInWorker }, what, count) {
  return [RUN, String(what), String(count), ...(isInWorker ? ['worker'] : [])];
}

// Runs one batch to its end, also after failures: what ran, and what failed.
async function runBatch(batch) {
  const sum = { programs: 0, starts: 0, callbacks: 0, failures: [] };
  const end = batch.first + batch.count;
  let next = batch.first;
  while (next < end) {
    const result = await run(batch.node, command(batch, next, end - next));
    const reports = parse(result);
    const good = reports.filter(({ rule }) => rule === undefined);
    for (const { starts, callbacks } of good) {
      sum.programs++;
      sum.starts += starts;
      sum.callbacks += callbacks;
    }
    const seed = next + good.length;
    const failure = judge(result, reports, seed === end);
    if (failure !== undefined) {
      const isolated = command(batch, seed, 1);
      const together = command(batch, next, Math.min(seed, end - 1) - next + 1);
      sum.failures.push({ ...failure, seed, batch, isolated, together });
    }
    next = seed + 1;
  }
  return sum;
}

function parse({ stdout }) {
  return stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

// A smaller program that fails in the same way, in a process of its own, and how; undefined if it
// only fails where it was.
function shrinkFailure({ rule, seed, batch }) {
  return shrink(generate(seed), rule, async (file, times) => {
    const result = await run(batch.node, command(batch, file, times));
    const reports = parse(result);
    return judge(result, reports, reports.length === times);
  });
}

// What is wrong with a child's end, if anything.
function judge({ code, signal, stderr }, reports, isComplete) {
  const violation = reports.find(({ rule }) => rule !== undefined);
  if (violation !== undefined) return violation;
  if (code === 0 && signal === null && stderr === '' && isComplete) return undefined;
  const what = `code ${code}, signal ${signal}, ${isComplete ? 'all' : 'not all'} programs ended`;
  return { rule: 'end', what, trace: stderr.split('\n') };
}

// A failure for a person to read.
function describe({ rule, what, trace, seed, batch, isolated, together }) {
  const { node } = batch;
  const line = (args) => [node.path, ...args].join(' ');
  const where = `node ${node.version}${batch.isInWorker ? ', in a worker' : ''}`;
  return [
    `seed ${seed} on ${where}: ${rule}: ${what}`,
    ...trace.map((each) => `  ${each}`),
    `alone:    ${line(isolated)}`,
    `as it was: ${line(together)}`,
  ].join('\n');
}

module.exports = { describe, runBatch, shrinkFailure, split };
