'use strict';

// Who is told about tasks, and who may refuse them. Each place is undefined while nobody wants it,
// so that tasks then pay for one comparison.

const observers = {
  // released(): a task has left its queue, or runs no longer.
  released: undefined,
  // settled(task, outcome): the outcome is 'completed', 'failed' or 'aborted'.
  settled: undefined,
  // refusal(state, delay): the reason why a task is refused, or undefined. While it is set, idle
  // callbacks are refused, too.
  refusal: undefined,
  // refusesRequest(priority, isPosted): whether a request is refused; see tasks/intakes.js.
  refusesRequest: undefined,
  // ended(): the response of a request has finished or closed.
  ended: undefined,
  // lowered(rank): tasks of a signal have been moved to this rank.
  lowered: undefined,
  // The ContextWatch of this context, while somebody watches tasks; see watch/watch.js.
  watch: undefined,
  // Whether a trace wants messages about tasks, whatever the channels' subscribers want.
  wantsMessages: false,
  // Whether the diagnostics channels of tasks have subscribers; set by watch/context.js.
  areSubscribed: undefined,
  // Begins to watch for those subscribers; set by api.js.
  watchForSubscribers: undefined,
};

module.exports = { observers };
