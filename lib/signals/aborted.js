'use strict';

// Reads whether and why a signal is aborted: of any signal, also of polyfills and foreign signals,
// whose getters may throw at any time.

// Whether a signal is aborted. If its getter throws, the signal counts as not aborted, so that its
// tasks run and settle.
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

// Whether an error is the reason of an aborted signal, or an error of Node's own APIs whose `cause`
// is that reason.
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
