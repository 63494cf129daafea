'use strict';

// Measures what loading a package takes, each time in a process that does nothing else: the time,
// the memory of its own, and all resident memory. As a program it is that process: it loads one
// package as the first thing that it does, and prints milliseconds and megabytes. Its arguments are
// 'require' or 'import', and what to load.

const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const ROOT = path.join(__dirname, '..', '..', '..');

// A process that the machine has held up says nothing, so the fastest of a few counts.
const PROCESSES = 5;

const LOADED = {
  'uv-scheduler': () => ['require', ROOT],
  'uv-scheduler, imported with all its parts': () => ['import', require.resolve(ROOT)],
  'p-queue': () => ['import', require.resolve('p-queue')],
  'undici': () => ['require', require.resolve('undici')],
};

// The memory that the process shares with no other: pages of Node's executable do not count. Only
// Linux tells; elsewhere it is all resident memory.
function ownMemory() {
  try {
    const status = fs.readFileSync('/proc/self/status', 'utf8');
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)[1]) / 1024;
  } catch {
    return process.memoryUsage().rss / 2 ** 20;
  }
}

async function loadOne(how, file) {
  const url = pathToFileURL(file).href;
  ownMemory();
  const before = { own: ownMemory(), resident: process.memoryUsage().rss, time: performance.now() };
  if (how === 'import') await import(url);
  else require(file);
  const time = performance.now() - before.time;
  const own = ownMemory() - before.own;
  const resident = (process.memoryUsage().rss - before.resident) / 2 ** 20;
  process.stdout.write(JSON.stringify({ time, own, resident }));
}

function measure(row) {
  const { execFileSync } = require('node:child_process');
  const args = LOADED[row]();
  const samples = Array.from({ length: PROCESSES }, () => {
    return JSON.parse(execFileSync(process.execPath, [__filename, ...args], { encoding: 'utf8' }));
  });
  const { time, own, resident } = samples.sort((a, b) => a.time - b.time)[0];
  return { value: time, details: { own, resident } };
}

function loadCases() {
  const { atMost } = require('../goals.js');
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

if (require.main === module) loadOne(...process.argv.slice(2));

module.exports = { loadCases };
