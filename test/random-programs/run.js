'use strict';

// Runs random programs one after the other in one process: `node run.js main|worker watched|alone`,
// with the programs as JSON on standard input. A monitor and subscribers of the channels look at
// watched ones. Prints a line of JSON for each program that has ended, and for the first that has
// failed.

const fs = require('node:fs');
const { Worker, isMainThread, workerData } = require('node:worker_threads');

function makeSession(programs) {
  const api = require('../..');
  const { Io } = require('./io.js');
  const { Session } = require('./session.js');
  const { Watcher } = require('./watcher.js');
  const report = (line) => fs.writeSync(1, `${JSON.stringify(line)}\n`);
  const watcher = process.argv[3] === 'watched' ? new Watcher() : undefined;
  return new Session({ api, io: new Io(), programs, report, watcher });
}

function readPrograms() {
  return JSON.parse(fs.readFileSync(0, 'utf8'));
}

if (!isMainThread) {
  // A worker's script runs in the poll phase of its loop.
  makeSession(workerData).begin('poll', 'main');
} else if (process.argv[2] === 'worker') {
  const argv = process.argv.slice(2);
  const worker = new Worker(__filename, { argv, workerData: readPrograms() });
  worker.on('exit', (code) => (process.exitCode = code));
} else if (require.main === module) {
  makeSession(readPrograms()).begin('main', 'main');
}

module.exports = { makeSession, readPrograms };
