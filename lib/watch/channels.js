'use strict';

// The diagnostics channels of tasks, one set per thread, and the state that the contexts of a
// thread share to watch tasks together. Publishes messages, one at a time.

const { channel, tracingChannel } = require('node:diagnostics_channel');
const { hasNoStores } = require('../loading/undocumented.js');
const realm = require('../loading/realm.js');
const { PROTOCOL } = require('../loop/protocol.js');

const posted = channel('uv-scheduler:task:posted');
const aborted = channel('uv-scheduler:task:aborted');
const { start, end, asyncStart, asyncEnd, error } = tracingChannel('uv-scheduler:task');

// Test runners and `vm` load the package into several contexts of a thread. The shared state is a
// property of a channel, as all contexts have the same modules of Node.
//
//   watch     the thread's Watch; undefined until tasks are watched for the first time
//   contexts  weak references to the interfaces of all contexts; see context.js
//   lastId    the id of the newest message
//   lastProfile  the number of the newest profile of slow tasks
//   samples  those of V8's profiler, by their interval: see slow/profiler.js
//   lastStuckWatch  the number of the newest thread that reports while this one is stuck
//   underWay  by that number, a function that returns the callback under way; see slow/stuck.js
//   sampler  the thread's Sampler, while it has users; see sampler.js
//   isTracedFromOutside  whether the trace of UV_SCHEDULER_TRACE was started
const SHARED = Symbol.for(`uv-scheduler.watch.${PROTOCOL}`);
const shared = posted[SHARED] ??= realm.Object.assign(new realm.Object(), {
  watch: undefined,
  contexts: new realm.Array(),
  lastId: 0,
  lastProfile: 0,
  samples: new realm.Map(),
  lastStuckWatch: 0,
  underWay: new realm.Map(),
  sampler: undefined,
  isTracedFromOutside: false,
});

// The interfaces of the contexts that were not collected, the oldest first.
function contexts() {
  const live = [];
  for (const reference of shared.contexts) {
    const context = reference.deref();
    if (context !== undefined) live.push(context);
  }
  return live;
}

// A context was loaded.
function addContext(context) {
  shared.contexts = shared.contexts.filter((reference) => reference.deref() !== undefined);
  shared.contexts.push(new realm.WeakRef(context));
}

// Messages that were published inside of a subscriber, with their channels.
let waiting = [];
let isPublishing = false;

function areSubscribed() {
  return posted.hasSubscribers || start.hasSubscribers || end.hasSubscribers ||
    asyncStart.hasSubscribers || asyncEnd.hasSubscribers || error.hasSubscribers ||
    aborted.hasSubscribers;
}

// Publishes a message, or queues it if a subscriber is running: a subscriber that posts or aborts
// tasks must not call itself.
function publish(to, message) {
  if (!to.hasSubscribers) return;
  if (!isPublishing && waiting.length === 0) {
    publishNow(to, message);
    if (waiting.length > 0) publishWaiting();
    return;
  }
  // Comes after the messages that wait already.
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

// Publishes the waiting messages. Messages that are added meanwhile wait for the next call, so that
// a subscriber that posts a task for each message does not block the thread for ever.
function publishWaiting() {
  if (isPublishing) return;
  const due = waiting;
  waiting = [];
  for (let i = 0; i < due.length; i += 2) publishNow(due[i], due[i + 1]);
}

// Whether messages wait to be published.
function isWaiting() {
  return waiting.length > 0;
}

// Calls a function inside of the stores that are bound to the channel `start`.
function callStarted(message, callback) {
  if (waiting.length > 0) publishWaiting();
  if (!start.hasSubscribers) return callback();
  // Without stores, runStores() only publishes, but takes a microsecond on Node 26.
  if (hasNoStores(start)) {
    publish(start, message);
    return callback();
  }
  // True in a nested run of the loop in a subscriber.
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
  addContext,
  areSubscribed,
  asyncEnd,
  asyncStart,
  callStarted,
  contexts,
  end,
  error,
  isWaiting,
  posted,
  publish,
  publishWaiting,
  shared,
  start,
};
