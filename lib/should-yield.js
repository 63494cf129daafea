'use strict';

// shouldYield(): whether code that runs for long should give way now.

const eventLoop = require('./event-loop.js');
const { currentPriorityOf, ofChain } = require('./scheduling-state.js');

// The rank of a continuation of the running code.
function rankOfContinuation() {
  return eventLoop.fixedQueue(currentPriorityOf(ofChain()), true);
}

function shouldYield() {
  return eventLoop.shouldYield(rankOfContinuation);
}

module.exports = { shouldYield };
