'use strict';

// Charges the thread's time outside of tasks to the requests whose code runs. A handler that
// computes behind an `await` runs in a callback of the loop that is no task. Its request is known
// at points: where its code calls the response or the scheduler. A point charges the time since the
// point or the edge before it, whichever came later. An edge is the begin of a task, or of any
// callback while callbacks are followed.
// Time that no point charges is that of no request, and so is all time behind the end of a
// response: a socket that a request was the first to open carries the context of that request for
// ever.

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

// How often callbacks were asked for, and the hook while they are followed.
let followers = 0;
let hook;

function settle(request) {
  const time = activeTime();
  const spent = time - mark;
  mark = time;
  if (spent > 0) request?.charge(spent);
}

const runningRequest = () => {
  const request = carried()?.request;
  return request?.isCharged ? request : undefined;
};

// The code of a request calls the package.
const point = () => settle(runningRequest());

const edge = () => settle(nested.length > 0 ? liveOf(nested.at(-1)) : liveOf(last));

const liveOf = (request) => (request?.isCharged ? request : undefined);

function enter() {
  edge();
  nested.push(runningRequest());
}

function leave() {
  edge();
  const ended = nested.pop();
  if (nested.length === 0) last = ended;
}

// A request comes in progress, or ends to be.
function begin() {
  if (inProgress++ > 0) return;
  mark = activeTime();
  observers.ledger = { edge, point };
}

function end() {
  if (--inProgress > 0) return;
  observers.ledger = undefined;
  last = undefined;
}

// Follows the begins and ends of callbacks until the returned function is called. On Node 20 and 22
// a hook follows all promises as well, so this is for a thread with more work than time.
function follow() {
  if (followers++ === 0) {
    nested.length = 0;
    hook ??= createHook({ before: enter, after: leave, trackPromises: false });
    hook.enable();
  }
  return () => {
    if (--followers === 0) hook.disable();
  };
}

module.exports = { begin, end, follow, settle };
