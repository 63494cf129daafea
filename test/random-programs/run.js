'use strict';

// Runs random programs one after the other in one process: `node run.js main|silent|worker
// watched|alone`, with the programs as JSON on standard input. Silent ones have no I/O. A monitor
// and subscribers of the channels look at watched ones. Prints a line of JSON for each program that
// has ended, and for the first that has failed.

const fs = require('node:fs');
const { Worker, isMainThread, workerData } = require('node:worker_threads');

function makeSession(programs) {
  const api = require('../..');
  const { Io } = require('./io.js');
  const { Session } = require('./session.js');
  const { Watcher } = require('./watcher.js');
  const report = (line) => fs.writeSync(1, `${JSON.stringify(line)}\n`);
  const [how, watching] = process.argv.slice(2);
  const io = how === 'silent' ? undefined : new Io();
  const watcher = watching === 'watched' ? new Watcher(api) : undefined;
  return new Session({ api, io, programs, report, watcher });
}

function readPrograms() {
  return JSON.parse(fs.readFileSync(0, 'utf8'));
}

if (!isMainThread) {
  // A worker's script runs in the poll phase of its loop.
  makeSession(workerData).begin('poll', 'main');
} else if (process.argv[2] === 'worker') {
  const worker = new Worker(__filename, { workerData: readPrograms() });
  worker.on('exit', (code) => (process.exitCode = code));
} else if (require.main === module) {
  makeSession(readPrograms()).begin('main', 'main');
}

module.exports = { makeSession, readPrograms };
