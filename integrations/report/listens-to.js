'use strict';

// Whether the program listens to a signal, beside the listeners of this package, `own`. Those of
// signal-exit, which many packages bring along, are none of the program's: they leave the signal to
// all others, and where there are none they send it again.

const EMITTER = Symbol.for('signal-exit emitter');

function listensTo(signal, own) {
  const { count = 0 } = globalThis[EMITTER] ?? {};
  const { count: ofOlder = 0 } = process.__signal_exit_emitter__ ?? {};
  return process.listenerCount(signal) > own + count + ofOlder;
}

module.exports = { listensTo };
