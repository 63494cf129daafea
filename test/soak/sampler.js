'use strict';

// Samplers of the thread, which begin and end, each with a sample: fixtures/sampler.js has what
// they find.

const { setImmediate: turn } = require('node:timers/promises');
const { watch } = require('../..')[Symbol.for('uv-scheduler.internal')];
const { soak } = require('../helpers/memory.js');

// In ms.
const EVERY = 1;

async function sample() {
  let samples = 0;
  const sampler = watch.startSampler(() => samples++, EVERY);
  sampler.setBusy(true);
  while (samples === 0) JSON.parse('[1, "text", {}]');
  sampler.setBusy(false);
  await turn();
  sampler.stop();
}

soak({
  // Each counts as 500 items, as it begins and ends a thread.
  'samplers that were started and stopped': {
    count: 40_000,
    async run(count) {
      for (let i = 0; i < count; i += 500) await sample();
      return count;
    },
  },
});
