'use strict';

// Measures the cost of an addon that is loaded but not used: time in every turn of the loop, and
// wake-ups of a waiting process. Each sample has its own process, with or without the addon.

const fs = require('node:fs');
const { setTimeout: timeout } = require('node:timers/promises');
const { OURS, above } = require('../goals.js');

const WITHOUT = 'without the addon';
const AFTERWARDS = 'uv-scheduler, used before';

const ROWS = [WITHOUT, OURS, AFTERWARDS];

const TURNS = 2e4;
const SEGMENTS = 25;

const IDLE_MS = 2000;

async function loadAddon(row) {
  if (row === WITHOUT) return;
  const { scheduler } = require('../../..');
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
async function turns(row) {
  await loadAddon(row);
  let shortest = Infinity;
  for (let i = 0; i < SEGMENTS; i++) shortest = Math.min(shortest, await timeTurns(TURNS));
  return { value: shortest };
}

// Returns how often the main thread has waited on Linux, or all threads on other systems.
function waits() {
  try {
    const status = fs.readFileSync('/proc/self/status', 'utf8');
    return Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(status)[1]);
  } catch {
    return process.resourceUsage().voluntaryContextSwitches;
  }
}

// The timer wakes the process once. The late work of its start is over before.
async function wakeUps(row) {
  await loadAddon(row);
  await timeout(200);
  const before = waits();
  await timeout(IDLE_MS);
  return { value: waits() - before };
}

function idleCases() {
  const common = { rows: ROWS, processes: 'each sample' };
  const twenty = (row) => above(WITHOUT, 20, '≤ 20 ns more', row);
  const none = (row) => above(WITHOUT, 0, 'none more', row);
  return [
    {
      ...common,
      name: 'idle-turn',
      title: 'a turn of the loop, in which an immediate sets itself again',
      unit: 'ns/turn',
      goals: [twenty(OURS), twenty(AFTERWARDS)],
      measure: turns,
    },
    {
      ...common,
      name: 'idle-wake-ups',
      title: `wake-ups of a process that waits for ${IDLE_MS / 1000} s`,
      unit: 'wake-ups',
      goals: [none(OURS), none(AFTERWARDS)],
      maxRounds: 3,
      isParallel: true,
      measure: wakeUps,
    },
  ];
}

module.exports = { idleCases };
