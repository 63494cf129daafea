'use strict';

// Rejections that count as handled, for promises that need not be awaited. They cause no
// `unhandledRejection`. Promises derived from them, as by an `await`, still do.

const { Promise, then } = require('../loop/platform.js');

const ignore = () => {};

function markHandled(promise) {
  then.call(promise, undefined, ignore);
}

// A rejected promise that counts as handled.
function handledRejection(reason) {
  const promise = Promise.reject(reason);
  markHandled(promise);
  return promise;
}

// Calls `reject`, which rejects a promise to which we have no reference: a waiting continuation is
// only the function that settles its promise. V8 passes the promise to the hook just before the
// rejection. Promises that settle later, in reactions to the rejection, are not affected.
function rejectHandled(reject) {
  let isSeen = false;
  const stop = onSettled((promise) => {
    if (isSeen) return;
    isSeen = true;
    markHandled(promise);
  });
  try {
    reject();
  } finally {
    stop();
  }
}

// Loads the module on first use, as loading takes time. If a member of `Object.prototype` prevents
// Node from loading it, or the host has no such hook, as Bun, rejections are reported as usual.
function onSettled(listener) {
  try {
    return require('node:v8').promiseHooks.onSettled(listener);
  } catch {
    return ignore;
  }
}

module.exports = { handledRejection, markHandled, rejectHandled };
