'use strict';

// Loads one package as the first thing that a program does, and prints what that took: milliseconds
// and megabytes. Arguments: 'require' or 'import', and what to load.

const fs = require('node:fs');
const { pathToFileURL } = require('node:url');

const [how, file] = process.argv.slice(2);

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

async function load() {
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

load();
