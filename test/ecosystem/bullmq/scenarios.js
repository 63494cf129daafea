'use strict';

// Random scenarios for workers: how many there are, with which limits, and which jobs they get.

const fc = require('fast-check');

const often = (weight, arbitrary) => ({ weight, arbitrary });
const rarely = (arbitrary, otherwise) =>
  fc.oneof(often(3, fc.constant(otherwise)), often(1, arbitrary));

const job = fc.record({
  // Milliseconds after the start.
  at: rarely(fc.constant(150), 0),
  delay: rarely(fc.integer({ min: 1, max: 300 }), 0),
  priority: rarely(fc.integer({ min: 1, max: 3 }), 0),
  attempts: fc.integer({ min: 1, max: 3 }),
  backoff: fc.constantFrom(0, 20),
  // How many attempts fail first.
  failures: rarely(fc.integer({ min: 1, max: 3 }), 0),
  isHopeless: rarely(fc.boolean(), false),
  // The job computes in pieces of some milliseconds, and then waits.
  pieces: rarely(fc.integer({ min: 1, max: 10 }), 0),
  piece: fc.constantFrom(0, 1, 4),
  wait: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 })),
});

const scenario = fc.record({
  workers: rarely(fc.integer({ min: 2, max: 3 }), 1),
  concurrency: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(20, 50)),
  // 0: none.
  globalConcurrency: rarely(fc.integer({ min: 1, max: 4 }), 0),
  limiter: rarely(
    fc.record({ max: fc.integer({ min: 1, max: 5 }), duration: fc.integer({ min: 20, max: 100 }) }),
    null,
  ),
  pause: rarely(
    fc.record({
      at: fc.integer({ min: 1, max: 100 }),
      time: fc.integer({ min: 1, max: 200 }),
      ofQueue: fc.boolean(),
    }),
    null,
  ),
  // By default most arrays are short.
  jobs: fc.array(job, { minLength: 1, maxLength: 25, size: 'max' })
    .map((jobs) => jobs.map((each, id) => ({ id, ...each }))),
});

function sample(count, seed) {
  return fc.sample(scenario, { numRuns: count, seed });
}

module.exports = { sample };
