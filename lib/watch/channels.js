'use strict';

// The diagnostics channels of tasks, which a thread has once, and what the contexts of the thread
// share to watch tasks together. Publishes messages, one at a time.

const { channel, tracingChannel } = require('node:diagnostics_channel');
const { PROTOCOL } = require('../loop/protocol.js');

const posted = channel('uv-scheduler:task:posted');
const aborted = channel('uv-scheduler:task:aborted');
const { start, end, asyncStart, asyncEnd, error } = tracingChannel('uv-scheduler:task');

// Test runners and `vm` load the package into several contexts of a thread. They meet at a channel,
// as Node's own modules are the same for all.
//
//   watch     the thread's Watch; undefined until something is watched for the first time
//   contexts  the faces of all contexts; see context.js
//   lastId    the id of the newest message
//   lastProfile  the number of the newest profile of slow tasks
//   isTracedFromOutside  whether the trace of UV_SCHEDULER_TRACE was started
const SHARED = Symbol.for(`uv-scheduler.watch.${PROTOCOL}`);
const shared = posted[SHARED] ??= {
  watch: undefined,
  contexts: [],
  lastId: 0,
  lastProfile: 0,
  isTracedFromOutside: false,
};

// What was published inside of a message, and the channels.
let waiting = [];
let isPublishing = false;

function areSubscribed() {
  return posted.hasSubscribers || start.hasSubscribers || end.hasSubscribers ||
    asyncStart.hasSubscribers || asyncEnd.hasSubscribers || error.hasSubscribers ||
    aborted.hasSubscribers;
}

// Publishes a message, or lets it wait if this is called inside of a message: a subscriber that
// posts or aborts tasks does not call itself.
function publish(to, message) {
  if (!to.hasSubscribers) return;
  if (!isPublishing && waiting.length === 0) {
    publishNow(to, message);
    if (waiting.length > 0) publishWaiting();
    return;
  }
  // Behind those that wait already.
  waiting.push(to, message);
  publishWaiting();
}

function publishNow(to, message) {
  isPublishing = true;
  try {
    to.publish(message);
  } finally {
    isPublishing = false;
  }
}

// Publishes what waits, but not what comes meanwhile: that waits for the next call, so that a
// subscriber that posts a task for each message does not hold the thread for ever.
function publishWaiting() {
  if (isPublishing) return;
  const due = waiting;
  waiting = [];
  for (let i = 0; i < due.length; i += 2) publishNow(due[i], due[i + 1]);
}

// Whether anything waits to be published.
function isWaiting() {
  return waiting.length > 0;
}

// Calls a function inside of the stores that are bound to the channel `start`.
function callStarted(message, callback) {
  if (waiting.length > 0) publishWaiting();
  if (!start.hasSubscribers) return callback();
  // Without stores, runStores() does nothing more, but Node 26 takes a microsecond for it. Where
  // channels have no such property, runStores() is called.
  if (start._stores?.size === 0) {
    publish(start, message);
    return callback();
  }
  // A nested run of the loop in a subscriber publishes already.
  const wasPublishing = isPublishing;
  isPublishing = true;
  try {
    return start.runStores(message, () => {
      isPublishing = wasPublishing;
      if (waiting.length > 0) publishWaiting();
      return callback();
    });
  } finally {
    isPublishing = wasPublishing;
  }
}

module.exports = {
  aborted,
  areSubscribed,
  asyncEnd,
  asyncStart,
  callStarted,
  end,
  error,
  isWaiting,
  posted,
  publish,
  publishWaiting,
  shared,
  start,
};
