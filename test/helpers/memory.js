'use strict';

// Measures whether memory stays flat while a program repeats the same work.
//
// A part runs in rounds. After each round garbage is collected and three figures are measured: the
// used JavaScript heap; `native`, the resident memory outside the heap's pages; and `old`, all of
// it but the pages of the young generation, which hold only recent objects and of which V8 takes
// up to 64 MB in steps. The lowest figure of the last three rounds is compared with the lowest of
// the three rounds in the middle, as noise only adds. Growth of more than 16 bytes per item done
// between them is a leak: an object of either language, with the reference to it, takes more. If
// there is too much growth, more rounds follow: caches and pools grow once, a leak goes on. For the
// heap the middle rounds stay the same ones, as a table that leaks grows by doubling, now and then.
// For the rest they move along, as pools of pages grow late and by much at once.
//
// A flood (`isFlood`) tests that memory is released: each round has all items at once. Besides the
// rule above, the heap may keep only a small part of what an item takes after the floods; the
// host's WeakMap alone keeps room of 42 bytes for each former entry. Other memory is exempt, as V8
// and malloc keep pages for the next flood.
//
// A part may name a control, which does the same with Node's own API before it. The growth of the
// control is allowed. A function is the `run` of a part of a million items.

const { setImmediate: turn, setTimeout: wait } = require('node:timers/promises');
const v8 = require('node:v8');

const BYTES_PER_ITEM = 16;

// Less growth than this means nothing.
const FEWEST_PER_ROUND = 4000;

const ROUNDS = 8;
const WINDOW = 4;
const LOWEST_OF = 3;
const FURTHER_WINDOWS = 4;

const LEFT_OF_FLOOD = 64;

const MILLION = 1_000_000;
const AT_ONCE = 1000;

// Memory outside the JavaScript heap varies by megabytes, and the heap's pages grow in steps of
// many: lower bounds than these would mean nothing.
const COARSE = { heap: 0, native: 3 * 2 ** 20, old: 8 * 2 ** 20 };

const MEASURES = ['heap', 'native', 'old'];

const WIDTHS = { title: 50, count: 9, memory: 20 };

function row(title, count, memories, verdict) {
  const cells = [String(title).padEnd(WIDTHS.title), String(count).padStart(WIDTHS.count)];
  cells.push(...memories.map((cell) => cell.padStart(WIDTHS.memory)), verdict);
  return cells.join('  ');
}

// The header of the table that `soak` prints.
const HEADER = row('', 'items', MEASURES.map((name) => `${name} in MB`), '');

function memory() {
  const { heapUsed, rss } = process.memoryUsage();
  const spaces = v8.getHeapSpaceStatistics();
  const pages = spaces.reduce((sum, space) => sum + space.physical_space_size, 0);
  const young = spaces.find((space) => space.space_name === 'new_space').physical_space_size;
  return { heap: heapUsed, native: rss - pages, old: rss - young };
}

async function settle() {
  for (let count = 0; count < 3; count++) {
    await turn();
    global.gc();
  }
  await wait(2);
  global.gc();
  return memory();
}

// The lowest value of each figure.
function lowest(measurements) {
  return Object.fromEntries(MEASURES.map((name) =>
    [name, Math.min(...measurements.map((each) => each[name]))]));
}

// The growth of each figure in bytes per item.
function growth(from, to, items) {
  return Object.fromEntries(MEASURES.map((name) => [name, (to[name] - from[name]) / items[name]]));
}

// The complaint about this growth, if any.
function complaint(grown, allowance, items) {
  const found = MEASURES.filter((name) => {
    if (items[name] * BYTES_PER_ITEM < COARSE[name]) return false;
    return grown[name] > BYTES_PER_ITEM + Math.max(0, allowance[name]);
  });
  if (found.length === 0) return undefined;
  const grew = (name) => `${name} grew by ${grown[name].toFixed(1)} bytes an item`;
  return found.map(grew).join(', ');
}

// Runs rounds until memory is flat, or the maximum number of rounds is reached.
async function runRounds(run, perRound, allowance) {
  const measured = [await settle()];
  const floorUpTo = (round) => lowest(measured.slice(round + 1 - LOWEST_OF, round + 1));
  let done = 0;
  let rounds = ROUNDS;
  for (;;) {
    while (measured.length <= rounds) {
      done += await run(perRound);
      measured.push(await settle());
    }
    const half = rounds / 2;
    const middle = { ...floorUpTo(half), heap: floorUpTo(WINDOW).heap };
    const end = floorUpTo(rounds);
    const later = perRound * (rounds - half);
    const items = { heap: perRound * (rounds - WINDOW), native: later, old: later };
    const grown = growth(middle, end, items);
    const isLast = rounds === ROUNDS + FURTHER_WINDOWS * WINDOW;
    const found = complaint(grown, allowance, items);
    if (found === undefined || isLast) {
      const isLost = done !== perRound * rounds;
      const lost = isLost ? `${done} of ${perRound * rounds} were done` : undefined;
      return { before: measured[0], middle, end, grown, done, complaint: lost ?? found };
    }
    rounds += WINDOW;
  }
}

async function runFloods(run, count, allowance) {
  // The memory of the program and its machine code does not belong to the flood.
  for (let small = 0; small < ROUNDS; small++) await run(Math.ceil(count / ROUNDS));
  const result = await runRounds(run, count, allowance);
  const left = (result.end.heap - result.before.heap) / count;
  if (left > LEFT_OF_FLOOD) {
    result.complaint ??= `${left.toFixed(1)} bytes an item are left in the heap`;
  }
  return result;
}

const MEGABYTE = 2 ** 20;

function show(name, { before, middle, end }) {
  return [before, middle, end].map((each) => (each[name] / MEGABYTE).toFixed(1)).join(' ');
}

const NOTHING = Object.fromEntries(MEASURES.map((name) => [name, 0]));

// A run of items, some at a time, each by `make(index)`. A promise that it returns resolves when
// the item is done; `release()` ends those that are under way. The host cleans up between turns.
function inBatches(make, { atOnce = AT_ONCE, release = () => {} } = {}) {
  return async (count) => {
    for (let first = 0; first < count; first += atOnce) {
      const length = Math.min(atOnce, count - first);
      const items = Array.from({ length }, (_, index) => make(first + index));
      release();
      await Promise.all(items);
      await turn();
    }
    return count;
  };
}

// A flood of `count` items, which are a batch.
const flood = (count, make, release) => ({
  isFlood: true, count, run: inBatches(make, { atOnce: Infinity, release }),
});

function runPart({ count = MILLION, run, isFlood = false }, divisor, allowance) {
  const items = isFlood ? count / divisor : count / divisor / ROUNDS;
  const perRound = Math.ceil(Math.max(FEWEST_PER_ROUND, items));
  return (isFlood ? runFloods : runRounds)(run, perRound, allowance);
}

// Runs the parts of a program one by one: { title: { count, run, control, isFlood } }, where
// `run(count)` does this many items and resolves to how many were done. The first argument of the
// program divides the counts. Prints a line for each part. The exit code is 1 if one has grown.
async function soak(described) {
  if (global.gc === undefined) throw new Error('Run this with node --expose-gc');
  const divisor = Number(process.argv[2] ?? 1);
  // A program that loses tasks ends early.
  process.exitCode = 1;
  let isSound = true;
  for (const [title, given] of Object.entries(described)) {
    const part = typeof given === 'function' ? { run: given } : given;
    const { count, control } = part;
    const { grown: allowance } = control
      ? await runPart({ count, run: control }, divisor, NOTHING) : { grown: NOTHING };
    const result = await runPart(part, divisor, allowance);
    const { done, grown, complaint: found } = result;
    isSound &&= found === undefined;
    const isGrowing = grown.heap > BYTES_PER_ITEM;
    const verdict = found ?? `flat${isGrowing ? ', but for what Node’s own grows' : ''}`;
    const memories = MEASURES.map((name) => show(name, result));
    process.stdout.write(`${row(title, done, memories, verdict)}\n`);
  }
  process.exitCode = isSound ? 0 : 1;
}

module.exports = { HEADER, flood, inBatches, soak };
