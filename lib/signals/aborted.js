'use strict';

// Asks any signal whether it is aborted, and why: also foreign ones, whose getters may throw at any
// time, and polyfills.

// Whether a signal is aborted. One whose getter throws counts as not aborted, so that its tasks run
// and settle.
function isAborted(signal) {
  try {
    return signal.aborted;
  } catch {
    return false;
  }
}

function abortReason(signal) {
  try {
    if ('reason' in signal) return signal.reason;
  } catch (error) {
    return error;
  }
  // A polyfill may predate abort reasons.
  return new DOMException('This operation was aborted', 'AbortError');
}

module.exports = { abortReason, isAborted };
