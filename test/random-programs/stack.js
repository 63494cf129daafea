'use strict';

// The facts that the call stack gives about the running code, and the nested runs of the loop,
// which have frames of their own there.

// Far more than lie between a callback and what has called it.
const DEEPEST = 50;

const TICKS = 'processTicksAndRejections';
const NESTED_RUN = 'runNestedLoop';
// A method of the draining at its timeout.
const EXPIRY = '#expire';

// The function that has called what runs: Node's queue of ticks, a nested run of the loop, or
// neither.
function caller(error, frames) {
  for (const frame of frames) {
    const name = frame.getFunctionName();
    if (name === TICKS || name === NESTED_RUN) return name;
  }
  return undefined;
}

function hasExpiry(error, frames) {
  return frames.some((frame) => frame.getFunctionName() === EXPIRY);
}

// The result of `prepare` for the stack.
function inspectStack(prepare) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Object.assign(Error, { prepareStackTrace: prepare, stackTraceLimit: DEEPEST });
  const { stack } = new Error();
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return stack;
}

// Whether Node's queue of ticks has called what runs, in the innermost run of the loop.
function isInTick() {
  return inspectStack(caller) === TICKS;
}

// Whether drain() rejects what has not settled at its timeout.
function isInExpiry() {
  return inspectStack(hasExpiry);
}

// Calls `run`, which runs the loop.
function runNestedLoop(run) {
  run();
}

module.exports = { isInExpiry, isInTick, runNestedLoop };
