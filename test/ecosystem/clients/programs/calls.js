'use strict';

// Counts how often a client calls the functions that register has installed, which shows that the
// client uses these and nothing of its own.

const { scheduler } = require('../../../..');

const calls = { postTask: 0, yield: 0, requestIdleCallback: 0 };

function count(target, name) {
  const original = target[name];
  target[name] = function (...args) {
    calls[name]++;
    return original.apply(this, args);
  };
}

count(scheduler, 'postTask');
count(scheduler, 'yield');
count(globalThis, 'requestIdleCallback');

module.exports = calls;
