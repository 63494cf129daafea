'use strict';

// Rejections that count as handled: those of promises that nobody has to look at. They cause no
// `unhandledRejection`. Promises that were derived from them, as by an `await`, report as usual.

const { Promise, then } = require('../loop/intrinsics.js');

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

// Calls `reject`, which rejects a promise that nothing refers to: a waiting continuation is no more
// than the function that settles its promise. V8 passes the promise to the hook just before it
// rejects it. What settles later, in code that is told about the rejection, stays as it is.
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

// Loads the module when it is needed, as it takes time. Where `Object.prototype` has a member that
// keeps Node from loading it, rejections are reported as usual.
function onSettled(listener) {
  let v8;
  try {
    v8 = require('node:v8');
  } catch {
    return ignore;
  }
  return v8.promiseHooks.onSettled(listener);
}

module.exports = { handledRejection, markHandled, rejectHandled };
