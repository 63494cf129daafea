'use strict';

// The last result of shouldYield(), and the code that called it. should-yield.js sets both. The
// result is dropped when a task starts, is posted, or changes its priority.

// Stands for no code, in place of its async id.
const NOBODY = -1;

const lastAdvice = {
  // The async id and the scheduling state of the code.
  code: NOBODY,
  state: undefined,
  shouldYield: false,
  // How many of its next calls may reuse the result.
  repeats: 0,
  // The initial value of `repeats`, if the result was given to an object.
  granted: 0,
  // The number of the scheduling state that the code carries, or NOBODY.
  chain: NOBODY,
  // Whether a tick is queued that notes the end of the calling callback.
  awaitsEnd: false,
};

module.exports = { NOBODY, lastAdvice };
