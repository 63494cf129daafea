'use strict';

// The facts that the host's hooks give about a program: the task of the running code, and when a
// promise settles. Knows nothing of rules and steps.

const { AsyncLocalStorage } = require('node:async_hooks');
const { inspect } = require('node:util');
const v8 = require('node:v8');

// The entry of the task whose chain the code belongs to.
const owner = new AsyncLocalStorage();

// By promise: what is called when it settles. Code of the program only runs a reaction later, and
// ticks of others may come before.
const listeners = new WeakMap();

v8.promiseHooks.onSettled((promise) => {
  const listener = listeners.get(promise);
  if (listener === undefined) return;
  listeners.delete(promise);
  listener();
});

// Calls `listener` as soon as a pending promise settles. The last one for a promise counts.
function whenSettled(promise, listener) {
  listeners.set(promise, listener);
}

function isPending(promise) {
  return inspect(promise, { depth: 0 }).includes('<pending>');
}

// Returns what `run` returns, and the promises that it makes.
function withPromises(run) {
  const promises = [];
  const stop = v8.promiseHooks.onInit((promise) => promises.push(promise));
  try {
    return { result: run(), promises };
  } finally {
    stop();
  }
}

module.exports = { isPending, owner, whenSettled, withPromises };
