'use strict';

// Node's own ways to run a task in a later turn of the loop, as three contenders: the promised
// `setImmediate`, `scheduler.yield` of timers/promises, and `setImmediate` with a handmade promise.
// None has priorities.

const { setMaxListeners } = require('node:events');
const { scheduler, setImmediate: immediate } = require('node:timers/promises');

function controller() {
  const made = new AbortController();
  setMaxListeners(0, made.signal);
  return made;
}

const promised = {
  post: (task) => immediate().then(task),
  yield: () => immediate(),
  inside: (callback) => immediate().then(callback),
  controller,
  signalled: (task, signal) => immediate(undefined, { signal }).then(task),
  // Adding a listener to a signal takes longer the more listeners it has.
  limits: { signalled: 1e4 },
};

const yielding = {
  post: (task) => scheduler.yield().then(task),
  yield: () => scheduler.yield(),
  inside: (callback) => scheduler.yield().then(callback),
};

const bare = {
  post: (task) => new Promise((resolve) => setImmediate(() => resolve(task()))),
  yield: () => new Promise((resolve) => setImmediate(resolve)),
  inside: (callback) => new Promise((resolve) => setImmediate(() => resolve(callback()))),
};

module.exports = { bare, promised, yielding };
