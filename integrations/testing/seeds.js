'use strict';

// seeds(): the numbers for a loop over orders. If the loop ends early, a warning names the seed
// that repeats the failure, as the error of an assertion does not know the seed.

const { internal } = require('./package.js');
const { webidl } = internal;

const SEEDS = "'seeds'";
const COUNT = new webidl.Parameter(SEEDS, 'the argument count');
const FIRST = new webidl.Parameter(SEEDS, 'the argument first');

const LAST = 2 ** 32 - 1;

const toCount = webidl.toNumberThat('a whole number from 1 to 2^32-1', (count) => {
  return Number.isInteger(count) && count > 0 && count <= LAST;
});

const toSeed = webidl.toNumberThat('a whole number from 0 to 2^32-1', (seed) => {
  return Number.isInteger(seed) && seed >= 0 && seed <= LAST;
});

function warn(seed) {
  process.emitWarning(
    `The loop over seeds() ended at seed ${seed}. createTestScheduler({ seed: ${seed} }) repeats ` +
      'its order.',
    { type: 'UvSchedulerWarning', code: 'UV_SCHEDULER_SEED' },
  );
}

function* count(total, first) {
  let seed = first;
  let isComplete = false;
  try {
    for (let i = 0; i < total; i++) {
      seed = (first + i) % (LAST + 1);
      yield seed;
    }
    isComplete = true;
  } finally {
    if (!isComplete) warn(seed);
  }
}

// `total` seeds from `first` on.
function seeds(total, first = 0) {
  return count(toCount(total, COUNT), toSeed(first, FIRST));
}

module.exports = { seeds, toSeed };
