'use strict';

// The result of functions that watch tasks until they are stopped: traces, reports, exporters. The
// file is in dist/index.js; other bundles get it from context.js or from the package's exports.

const { onAbort } = require('../signals/abort-source.js');
const { isAborted } = require('../signals/aborted.js');

// Calls `begin()`, unless the signal is aborted already. `begin()` returns a function that ends the
// watching. That is called by `stop()`, by `using`, or when the signal is aborted.
function watchUntil(signal, begin) {
  let end = signal !== undefined && isAborted(signal) ? undefined : begin();
  let subscription;
  const stop = () => {
    const ending = end;
    end = undefined;
    subscription?.end();
    ending?.();
  };
  if (signal !== undefined && end !== undefined) {
    try {
      subscription = onAbort(signal, stop);
    } catch (error) {
      // A foreign signal refuses the listener.
      stop();
      throw error;
    }
  }
  return { stop, [Symbol.dispose]: stop };
}

module.exports = { watchUntil };
