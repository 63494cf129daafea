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
  // The number of the scheduling state that the code has carried along, or NOBODY.
  chain: NOBODY,
  // Whether a tick will tell that the callback has ended in which the code has asked.
  awaitsEnd: false,
};

module.exports = { NOBODY, lastAdvice };
