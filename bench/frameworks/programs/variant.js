'use strict';

// What the programs of this folder work with: uv-scheduler, or what the benchmark compares it with.
// The argument of a program names it. Programs ask `isPlain` where plain code has another form.

const uvScheduler = require('uv-scheduler');
const { taskController } = require('uv-scheduler/http');

// As long as uv-scheduler lets a task go on while others wait.
const SLICE = 5;

const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

// What a program does that keeps itself to slices of time with immediates.
function withImmediates() {
  let end = performance.now() + SLICE;
  const shouldYield = () => performance.now() >= end;
  const pause = async () => {
    await nextImmediate();
    end = performance.now() + SLICE;
  };
  async function* pieces(items) {
    for await (const item of items) {
      yield item;
      if (shouldYield()) await pause();
    }
  }
  return { pieces, shouldYield, scheduler: { postTask: async (fn) => fn(), yield: pause } };
}

const plain = {
  pieces: (items) => items,
  shouldYield: () => false,
  scheduler: { postTask: async (fn) => fn(), yield: async () => {} },
};

const VARIANTS = {
  plain: () => plain,
  immediates: withImmediates,
  'uv-scheduler': () => uvScheduler,
};

const name = process.argv[2] ?? 'uv-scheduler';
if (!Object.hasOwn(VARIANTS, name)) {
  throw new Error(`The variant must be of ${Object.keys(VARIANTS).join(', ')}, not ${name}`);
}
const { pieces, scheduler, shouldYield } = VARIANTS[name]();

module.exports = { isPlain: name === 'plain', pieces, scheduler, shouldYield, taskController };
