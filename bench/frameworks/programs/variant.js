'use strict';

// The package that the programs of this folder work with: uv-scheduler, or what the benchmark
// compares it with. The argument of a program names it. Programs ask `isPlain`, or its `name`,
// where code has another form.

const uvScheduler = require('uv-scheduler');
const { controllerFor } = require('uv-scheduler/http');

// As long as uv-scheduler lets a task go on while others wait.
const SLICE = 5;

const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

// Ends a slice of time with an immediate.
function createSlices() {
  let end = performance.now() + SLICE;
  return {
    isOver: () => performance.now() >= end,
    async next() {
      await nextImmediate();
      end = performance.now() + SLICE;
    },
  };
}

// The way of a page that keeps itself to slices of time with immediates.
async function* inSlices(items) {
  const slices = createSlices();
  for await (const item of items) {
    yield item;
    if (slices.isOver()) await slices.next();
  }
}

const slices = createSlices();
const postTask = async (callback) => callback();

const VARIANTS = {
  plain: {
    // Pages ask it for items, or go through it.
    pieces: (items) => items[Symbol.iterator]?.() ?? items,
    scheduler: { postTask, yield: async () => {} },
    shouldYield: () => false,
  },
  immediates: {
    pieces: inSlices,
    scheduler: { postTask, yield: slices.next },
    shouldYield: slices.isOver,
  },
  'uv-scheduler': uvScheduler,
};

const name = process.argv[2] ?? 'uv-scheduler';
if (!Object.hasOwn(VARIANTS, name)) {
  throw new Error(`The variant must be of ${Object.keys(VARIANTS).join(', ')}, not ${name}`);
}

const { pieces, scheduler, shouldYield } = VARIANTS[name];

module.exports = { isPlain: name === 'plain', name, pieces, scheduler, shouldYield, controllerFor };
