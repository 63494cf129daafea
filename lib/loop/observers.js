'use strict';

// Callbacks that observe or refuse tasks. Each is undefined while unused, so that tasks then need
// only one comparison.

const observers = {
  // released(): a task has left its queue or has ended.
  released: undefined,
  // settled(task, outcome): the outcome is 'completed', 'failed' or 'aborted'.
  settled: undefined,
  // refusal(state, delay): the reason why a task is refused, or undefined. While `refusal` is set,
  // idle callbacks are refused as well.
  refusal: undefined,
  // refusesRequest(priority, isPosted): whether a request is refused; see tasks/intakes.js.
  refusesRequest: undefined,
  // ended(): the response of a request has finished or closed.
  ended: undefined,
  // lowered(rank): tasks of a signal have been moved to this rank.
  lowered: undefined,
  // The ContextWatch of this context, while tasks are watched; see watch/watch.js.
  watch: undefined,
  // Whether a trace needs messages about tasks, even if the channels have no subscribers.
  wantsMessages: false,
  // Whether the diagnostics channels of tasks have subscribers; set by watch/context.js.
  areSubscribed: undefined,
  // Begins to watch for subscribers of the channels; set by api.js.
  watchForSubscribers: undefined,
};

module.exports = { observers };
