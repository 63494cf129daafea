'use strict';

// Charges the thread's time outside of tasks to the requests whose code runs. A handler that
// computes behind an `await` runs in a callback of the loop that is no task. Its request is known
// at points: where its code calls the response or the scheduler. A point charges the time since the
// point or the edge before it, whichever came later. An edge is the begin of a task, and, while
// callbacks are followed, the begin and the end of each callback.
//
// All other time is that of no request, and so is the time behind the end of a response: a socket
// that a request was the first to open carries the context of that request for ever.

const { createHook } = require('node:async_hooks');
const { observers } = require('../loop/observers.js');
const { activeTime } = require('../loop/time.js');
const { carried } = require('./scheduling-state.js');

// The number of requests in progress, and the thread's time of the last point or edge, in ms.
let inProgress = 0;
let mark = 0;

// The requests of the callbacks under way, the innermost last, and of the last one that has ended:
// ticks and microtasks run behind it.
const nested = [];
let last;

// The number of follow() calls that have not ended, and the hook, from the first of them on.
let followers = 0;
let hook;

function settle(request) {
  const time = activeTime();
  const spent = time - mark;
  mark = time;
  if (spent > 0) request?.charge(spent);
}

// The request, unless its response has ended.
const liveOf = (request) => (request?.isCharged ? request : undefined);

// The code of a request calls the package.
const point = () => settle(liveOf(carried()?.request));

// A task or a callback begins, or a callback ends.
const edge = () => settle(liveOf(nested.length > 0 ? nested.at(-1) : last));

const observer = { edge, point };

function enter() {
  edge();
  nested.push(carried()?.request);
}

function leave() {
  edge();
  const ended = nested.pop();
  if (nested.length === 0) last = ended;
}

// The number of requests in progress grows by one.
function begin() {
  if (inProgress++ > 0) return;
  mark = activeTime();
  observers.ledger = observer;
}

// The same number falls by one.
function end() {
  if (--inProgress > 0) return;
  observers.ledger = undefined;
  last = undefined;
}

// Follows the begins and ends of callbacks until the returned function is called. On Node 20 and 22
// a hook follows all promises as well, so this is for a thread with more work than time.
function follow() {
  hook ??= createHook({ before: enter, after: leave, trackPromises: false });
  if (followers++ === 0) hook.enable();
  return () => {
    if (--followers > 0) return;
    hook.disable();
    // The callbacks under way end without the hook.
    nested.length = 0;
    last = undefined;
  };
}

module.exports = { begin, end, follow, settle };
