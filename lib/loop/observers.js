'use strict';

// Callbacks that observe or refuse tasks. Each is undefined while unused, so that tasks then need
// only one comparison.

const observers = {
  // released(): a task has left its queue or has ended.
  released: undefined,
  // The Draining under way; see tasks/drain.js. Idle callbacks are refused meanwhile.
  drain: undefined,
  // The ContextWatch of this context, while tasks are watched; see watch/watch.js.
  watch: undefined,
  // The ledger of requests in progress; see tasks/ledger.js.
  ledger: undefined,
  // startSampler(take): starts a sampler of this thread; set by api.js. See watch/sampler.js.
  startSampler: undefined,
  // Whether a listener needs messages about tasks, even if the channels have no subscribers.
  wantsMessages: false,
  // Whether the diagnostics channels of tasks have subscribers; set by watch/context.js.
  areSubscribed: undefined,
  // The interface of this context for watchers; see watch/context.js.
  context: undefined,
  // Begins to watch for subscribers of the channels; set by api.js.
  watchForSubscribers: undefined,
};

module.exports = { observers };
