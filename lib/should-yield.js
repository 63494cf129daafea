'use strict';

// shouldYield(): whether code that runs for long should give way now.

const eventLoop = require('./event-loop.js');
const { current, priorityOf } = require('./scheduling-state.js');

// The rank of a continuation of the running code.
function rankOfContinuation() {
  const state = current();
  const source = state?.prioritySource;
  if (source === undefined) return eventLoop.fixedQueue(priorityOf(state), true);
  const { prioritySlots } = require('./task-signal.js');
  return eventLoop.fixedQueue(prioritySlots(source).priority, true);
}

function shouldYield() {
  return eventLoop.shouldYield(rankOfContinuation);
}

module.exports = { shouldYield };
