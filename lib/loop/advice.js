'use strict';

// The last answer to code that asks whether to yield, and which code that was. should-yield.js
// gives the answers. A task that starts, that is posted, or whose priority changes takes them back.

// In place of the async id of code.
const NOBODY = -1;

const lastAdvice = {
  // The async id and the scheduling state of the code.
  code: NOBODY,
  state: undefined,
  shouldYield: false,
  // How many of its next questions the answer counts for.
  repeats: 0,
  // How many it counted for when it was given, if it was given to an object.
  granted: 0,
};

module.exports = { NOBODY, lastAdvice };
