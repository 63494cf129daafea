'use strict';

// Measures what the package costs a process that does nothing with it: time and memory of loading
// it, time in every turn of the loop, and wake-ups while the process waits. Each sample has its own
// process: as a program this file measures what its arguments say, and prints that.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: timeout } = require('node:timers/promises');
const { pathToFileURL } = require('node:url');

const ROOT = path.join(__dirname, '..', '..', '..');
const OURS = 'uv-scheduler';

const WITHOUT = 'without the addon';
const AFTERWARDS = 'uv-scheduler, used before';

const TURNS = 2e4;
const SEGMENTS = 25;
const IDLE_MS = 2000;

async function loadAddon(row) {
  if (row === WITHOUT) return;
  const { scheduler } = require(ROOT);
  if (row === AFTERWARDS) {
    await Promise.all(Array.from({ length: 1000 }, () => scheduler.postTask(() => {})));
    await scheduler.yield();
  }
}

// Resolves to the mean ns of `count` turns of the loop.
function timeTurns(count) {
  return new Promise((resolve) => {
    let left = count;
    const start = performance.now();
    const turn = () => {
      if (--left > 0) setImmediate(turn);
      else resolve(((performance.now() - start) * 1e6) / count);
    };
    setImmediate(turn);
  });
}

// The shortest of many times is the least disturbed; the cost in question is only a few ns.
async function measureTurns(row) {
  await loadAddon(row);
  let shortest = Infinity;
  for (let i = 0; i < SEGMENTS; i++) shortest = Math.min(shortest, await timeTurns(TURNS));
  return { value: shortest };
}

// A line of what Linux says of this process, as a number; elsewhere what `otherwise()` returns.
function readStatus(pattern, otherwise) {
  try {
    return Number(pattern.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return otherwise();
  }
}

// The number of waits of the main thread, or of all threads.
const countWaits = () => readStatus(/^voluntary_ctxt_switches:\s*(\d+)$/m,
  () => process.resourceUsage().voluntaryContextSwitches);

// The timer wakes the process once. The late work of its start is over before.
async function measureWakeUps(row) {
  await loadAddon(row);
  await timeout(200);
  const before = countWaits();
  await timeout(IDLE_MS);
  return { value: countWaits() - before };
}

// A process that the machine has held up says nothing, so the fastest of a few counts.
const PROCESSES = 5;

const LOADED = {
  [OURS]: () => ['require', ROOT],
  'uv-scheduler, imported with all its parts': () => ['import', require.resolve(ROOT)],
  'p-queue': () => ['import', require.resolve('p-queue')],
  'undici': () => ['require', require.resolve('undici')],
};

// The memory in MB that the process shares with no other: pages of Node's executable do not count;
// or all resident memory.
const readOwnMemory = () => readStatus(/^RssAnon:\s+(\d+) kB$/m,
  () => process.memoryUsage().rss / 1024) / 1024;

async function loadOne(how, file) {
  const url = pathToFileURL(file).href;
  readOwnMemory();
  const before = { own: readOwnMemory(), time: performance.now() };
  if (how === 'import') await import(url);
  else require(file);
  const time = performance.now() - before.time;
  return { time, own: readOwnMemory() - before.own };
}

// The measurements that need a process with no other module loaded.
const ALONE = { load: loadOne, turns: measureTurns, wakeUps: measureWakeUps };

const measureAlone = (...args) =>
  JSON.parse(execFileSync(process.execPath, [__filename, ...args], { encoding: 'utf8' }));

function measureLoading(row) {
  const samples = Array.from({ length: PROCESSES }, () => measureAlone('load', ...LOADED[row]()));
  const { time, own } = samples.sort((a, b) => a.time - b.time)[0];
  return { value: time, details: { own } };
}

function processCases() {
  // The processes of the samples load no module that they do not measure.
  const { above, atMost } = require('../goals');
  const rows = [WITHOUT, OURS, AFTERWARDS];
  const goals = (limit, text) =>
    [OURS, AFTERWARDS].map((row) => above(WITHOUT, limit, text, row));
  return [
    {
      name: 'idle-turn', title: 'a turn of the loop, in which an immediate sets itself again',
      unit: 'ns/turn', rows, goals: goals(20, 'at most 20 ns more'),
      measure: (row) => measureAlone('turns', row),
    },
    {
      name: 'idle-wake-ups', title: `wake-ups of a process that waits for ${IDLE_MS / 1000} s`,
      unit: 'wake-ups', rows, goals: goals(0, 'none more'),
      measure: (row) => measureAlone('wakeUps', row),
    },
    {
      name: 'load', title: 'loading a package in a new process, and the memory of its own',
      unit: 'ms', details: { own: 'MB' }, rows: Object.keys(LOADED),
      goals: [atMost(4, 'ms')], measure: measureLoading,
    },
  ];
}

async function main([name, ...args]) {
  process.stdout.write(JSON.stringify(await ALONE[name](...args)));
}

if (require.main === module) main(process.argv.slice(2));

module.exports = { processCases };
