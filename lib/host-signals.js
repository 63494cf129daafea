'use strict';

// What the realm's AbortSignal lacks where it is not Node's: jsdom, an environment of jest and
// vitest, has an AbortSignal, EventTarget and Event of its own. Knows nothing of priorities.

const { getEventListeners } = require('node:events');

// Whether `getEventListeners` tells the listeners of a signal. It knows Node's EventTarget alone.
const canCountListeners = (() => {
  try {
    getEventListeners(new AbortController().signal, 'abort');
    return true;
  } catch {
    return false;
  }
})();

// AbortSignal.any, or what stands for it where there is none, as in the jsdom of jest 29. There a
// signal is held by those that it is made of.
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
  const listeners = [];
  for (const each of signals) {
    const abort = () => {
      if (!each.aborted) return;
      for (const remove of listeners) remove();
      controller.abort(each.reason);
    };
    each.addEventListener('abort', abort);
    listeners.push(() => each.removeEventListener('abort', abort));
  }
  return signal;
}

module.exports = { anySignal, canCountListeners };
