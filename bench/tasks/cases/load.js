'use strict';

// Measures what loading a package takes, each time in a process that does nothing else: the time,
// the memory of its own, and all resident memory.

const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { atMost } = require('../goals.js');

const PROGRAM = path.join(__dirname, '..', 'load-one.js');
const ROOT = path.join(__dirname, '..', '..', '..');

// A process that the machine has held up says nothing, so the fastest of a few counts.
const PROCESSES = 5;

const LOADED = {
  'uv-scheduler': () => ['require', ROOT],
  'uv-scheduler, imported with all its parts': () => ['import', require.resolve(ROOT)],
  'p-queue': () => ['import', require.resolve('p-queue')],
  'undici': () => ['require', require.resolve('undici')],
};

function measure(row) {
  const args = LOADED[row]();
  const samples = Array.from({ length: PROCESSES }, () => {
    return JSON.parse(execFileSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' }));
  });
  const { time, own, resident } = samples.sort((a, b) => a.time - b.time)[0];
  return { value: time, details: { own, resident } };
}

function loadCases() {
  return [
    {
      name: 'load',
      title: 'loading a package in a new process, and the memory that it takes',
      unit: 'ms',
      details: { own: 'MB', resident: 'MB' },
      rows: Object.keys(LOADED),
      goals: [atMost(4, 'ms')],
      measure,
    },
  ];
}

module.exports = { loadCases };
