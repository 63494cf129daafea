'use strict';

// The realm's own AbortSignal: recognizes its signals, and substitutes missing methods if it is not
// Node's: jsdom, an environment of jest and vitest, has its own AbortSignal, EventTarget and Event.

const { getEventListeners } = require('node:events');
const { onAbort } = require('./abort-source.js');

// Whether `getEventListeners` works for signals. It supports only Node's own EventTarget.
const canCountListeners = (() => {
  try {
    getEventListeners(new AbortController().signal, 'abort');
    return true;
  } catch {
    return false;
  }
})();

const getAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted').get;

// Converts a native signal: the host's own operations accept no other.
function toHostSignal(value, parameter) {
  try {
    getAborted.call(value);
  } catch {
    throw parameter.error('a native AbortSignal', value);
  }
  return value;
}

// AbortSignal.any, or a substitute where it is missing, as in the jsdom of jest 29. The source
// signals keep the substitute's result alive. The `AbortSignal.any` of Node 20 fails an
// assertion of Node when it is called in an abort listener of a source.
function anySignal(signals) {
  if (typeof AbortSignal.any === 'function') return AbortSignal.any(signals);
  const controller = new AbortController();
  const { signal } = controller;
  for (const each of signals) {
    if (each.aborted) {
      controller.abort(each.reason);
      return signal;
    }
  }
  const subscriptions = signals.map((each) => onAbort(each, (reason) => {
    for (const subscription of subscriptions) subscription.end();
    controller.abort(reason);
  }));
  return signal;
}

module.exports = { anySignal, canCountListeners, toHostSignal };
