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

// Whether an error is the reason of a signal that is aborted, or the error of an API of Node's own
// that the signal has aborted: its `cause` is the reason.
function isAbortOf(signal, error) {
  if (!isAborted(signal)) return false;
  const reason = abortReason(signal);
  return error === reason || (reason !== undefined && causeOfAbort(error) === reason);
}

function causeOfAbort(error) {
  try {
    return error?.code === 'ABORT_ERR' ? error.cause : undefined;
  } catch {
    return undefined;
  }
}

module.exports = { abortReason, isAbortOf, isAborted };
