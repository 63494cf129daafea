'use strict';

// A process with callbacks that are no tasks, which are armed again at once and never pause, and
// the work beside them: a page in pieces, or turns of agents in stages. The argument is the path of
// the package. Answers how long the work takes.

const fs = require('node:fs');
const { Worker } = require('node:worker_threads');
const { nextImmediate, spin, spinWithPauses } = require('../harness/spin');
const { answerParent } = require('../harness/server');

const { pieces, scheduler, shouldYield } = require.main === module ? require(process.argv[2]) : {};

// The time for which a loop with setImmediate() goes on without a pause, in ms.
const PAUSES = { 'setImmediate, each ms': 1, 'setImmediate, each 5 ms': 5 };

const PAGE = { count: 1000, ms: 0.1 };
const TURN = { count: 9, ms: 0.25 };

// Until the others run as they will, in ms.
const WARM_UP = 200;

const nextRead = () => new Promise((resolve) => fs.stat(__filename, resolve));

const ECHO = "const { parentPort } = require('node:worker_threads');"
  + "parentPort.on('message', () => parentPort.postMessage(0));";

// By name: calls `callback` again and again, each time as soon as it has returned. Returns a
// function that ends this.
const SOURCES = {
  'I/O': (callback) => armed(callback, (again) => fs.stat(__filename, again)),
  timers: (callback) => armed(callback, (again) => setTimeout(again, 0)),
  immediates: (callback) => armed(callback, (again) => setImmediate(again)),
  MessagePort(callback) {
    const worker = new Worker(ECHO, { eval: true });
    let isOver = false;
    // A port hands over in one callback what comes while that one runs.
    const send = () => void setImmediate(() => isOver || worker.postMessage(0));
    worker.on('message', () => {
      callback();
      send();
    });
    send();
    return () => {
      isOver = true;
      return worker.terminate();
    };
  },
  // Each has a pause behind it, as a recurring callback has.
  'a recurring timer': (callback) => armed(callback, (again) => setTimeout(again, 1)),
};

function armed(callback, arm) {
  let isOver = false;
  const again = () => {
    callback();
    if (!isOver) arm(again);
  };
  arm(again);
  return () => void (isOver = true);
}

async function inPieces({ count, ms }) {
  for await (const piece of pieces(new Array(count).fill(ms))) spin(piece);
}

async function asking({ count, ms }) {
  for (let i = 0; i < count; i++) {
    spin(ms);
    if (shouldYield()) await scheduler.yield();
  }
}

// Pauses behind each stage.
const staged = (pause) => async ({ count, ms }) => {
  for (let i = 0; i < count; i++) {
    spin(ms);
    await pause();
  }
};

const inTask = (work, priority) => (amount) =>
  scheduler.postTask(() => work(amount), { priority });

// By name: does an amount of work.
const PAGES = {
  'in one go': (amount) => spinWithPauses(amount, Infinity),
  ...Object.fromEntries(Object.entries(PAUSES).map(([name, pause]) =>
    [name, (amount) => spinWithPauses(amount, pause)])),
  'pieces(), a task': inTask(inPieces),
  'shouldYield(), a task': inTask(asking),
  'pieces(), behind I/O': (amount) => nextRead().then(() => inPieces(amount)),
  'shouldYield(), behind I/O': (amount) => nextRead().then(() => asking(amount)),
  'pieces(), user-blocking': inTask(inPieces, 'user-blocking'),
  'shouldYield(), user-blocking': inTask(asking, 'user-blocking'),
};

const yielding = staged(() => scheduler.yield());

const TURNS = {
  'setImmediate between stages': staged(nextImmediate),
  'await between stages': staged(() => null),
  'yield(), background': inTask(yielding, 'background'),
  'yield(), user-visible': inTask(yielding),
  'yield(), user-blocking': inTask(yielding, 'user-blocking'),
};

async function measure({ source, length, row, turns }) {
  const end = SOURCES[source](() => spin(length));
  await new Promise((resolve) => setTimeout(resolve, WARM_UP));
  const begin = performance.now();
  await (turns === undefined
    ? PAGES[row](PAGE)
    : Promise.all(Array.from({ length: turns }, () => TURNS[row](TURN))));
  const value = performance.now() - begin;
  await end();
  return value;
}

if (require.main === module) answerParent({ measure });

module.exports = { PAGES: Object.keys(PAGES), TURNS: Object.keys(TURNS) };
