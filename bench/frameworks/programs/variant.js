'use strict';

// What the programs of this folder work with: uv-scheduler, or what the benchmark compares it with.
// The argument of a program names it. Programs ask `isPlain`, or its `name`, where code has another
// form.

const uvScheduler = require('uv-scheduler');
const { taskController } = require('uv-scheduler/http');

// As long as uv-scheduler lets a task go on while others wait.
const SLICE = 5;

const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

const scheduler = { postTask: async (callback) => callback() };

// What a page does that keeps itself to slices of time with immediates.
async function* inSlices(items) {
  let end = performance.now() + SLICE;
  for await (const item of items) {
    yield item;
    if (performance.now() < end) continue;
    await nextImmediate();
    end = performance.now() + SLICE;
  }
}

const VARIANTS = {
  plain: { pieces: (items) => items, scheduler },
  immediates: { pieces: inSlices, scheduler },
  'uv-scheduler': uvScheduler,
};

const name = process.argv[2] ?? 'uv-scheduler';
if (!Object.hasOwn(VARIANTS, name)) {
  throw new Error(`The variant must be of ${Object.keys(VARIANTS).join(', ')}, not ${name}`);
}

module.exports = {
  isPlain: name === 'plain',
  name,
  pieces: VARIANTS[name].pieces,
  scheduler: VARIANTS[name].scheduler,
  taskController,
};
