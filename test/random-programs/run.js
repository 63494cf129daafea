'use strict';

// Runs random programs one after the other in one process: `node run.js <seed> <count> [worker]`,
// or the one program that a file of JSON holds: `node run.js <file> <times> [worker]`. Owns the
// arguments and the report, a line of JSON for each program; knows nothing of programs.

const fs = require('node:fs');
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const args = isMainThread ? process.argv.slice(2) : workerData;

if (isMainThread && args[2] === 'worker') {
  new Worker(__filename, { workerData: args }).on('exit', (code) => (process.exitCode = code));
} else {
  main();
}

function main() {
  const api = require('../../index.js');
  const { generate } = require('./generator.js');
  const { Io } = require('./io.js');
  const { Session } = require('./session.js');
  const [first, count] = args;
  const isSeed = /^\d+$/.test(first);
  const programs = isSeed ? generate : () => JSON.parse(fs.readFileSync(first, 'utf8'));
  new Session({
    api,
    io: new Io(),
    first: isSeed ? Number(first) : 0,
    count: Number(count),
    getProgram: programs,
    report: (line) => fs.writeSync(1, `${JSON.stringify(line)}\n`),
  }).begin();
}
