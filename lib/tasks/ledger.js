'use strict';

// Charges the thread's time outside of tasks to the requests whose code runs. A handler that
// computes behind an `await` runs in a callback of the loop that is no task. Its request is known
// at points: where its code calls the response or the scheduler. A point charges the time since the
// point or the edge before it, whichever came later. An edge is the begin of a task, and, while
// callbacks are followed, each change from one request to another.
//
// Where several requests go on in the microtasks of one callback, the first point charges its
// request for all of them. So while callbacks are followed, the thread is also sampled: a sample
// that names another request than the next point or edge moves the mean time between two samples.
// (The time since the sample before is shorter behind a pause of the thread, and so for short
// code.) A request that was charged for others may have ended by then, so that the next requests of
// its key are charged less.
//
// All other time is that of no request, and so is the time behind the end of a response: a socket
// that a request was the first to open carries the context of that request for ever. If a program
// loses its contexts, much of the time is that of no request, and that of the others means little.

const { createHook, executionAsyncResource } = require('node:async_hooks');
const { ask } = require('../loop/event-loop.js');
const { ASK } = require('../loop/protocol.js');
const { observers } = require('../loop/observers.js');
const { TaskResource, hasAsyncIds, hooksSeePromises } = require('../loop/platform.js');
const { activeTime, clearTimer, setTimer } = require('../loop/time.js');
const { carried } = require('./scheduling-state.js');

// For how long in ms the sampling thread is kept when it is not needed, as starting one takes long,
// and what was measured.
const KEPT = 5000;

// The most keys that are charged less.
const MOST_OWED = 1000;

// The contexts are lost if more than this part of the thread's time is that of no request. The last
// so many ms of it count, and before there is so much, nothing is known. Shorter times do not
// count: hosts and servers need them for connections and for what they refuse.
const MOST_LOST = 0.25;
const MEMORY = 4000;
const LEAST = 500;
const SHORT = 1;

// So many samples are recent.
const MOST_SAMPLES = 200;

// Moved time is charged in parts of so many ms: longer ones the core compares with the processor
// time of the thread until now, as the thread may have been stopped in them.
const PART = 5;

// The number of requests in progress, and the thread's time of the last point or edge, all and that
// in tasks, in ms.
let inProgress = 0;
let mark = 0;
let markInTasks = 0;

// The requests of the callbacks under way, the innermost last, and of the last one that has ended:
// ticks and microtasks run behind it.
const nested = [];
let last;

// The number of follow() calls that have not ended, and the hook, from the first of them on.
let followers = 0;
let hook;

// The sampler, the timer that ends it, the requests that samples have named since the last point or
// edge, the recent number of samples, undefined before the first one, and the thread's time since.
let sampler;
let ending;
let named = [];
let samples;
let sampledTime = 0;

// By priority and key, the time in ms that the next requests are not charged.
const owed = new Map();

// The time outside of tasks that no request took, in ms. And while callbacks are followed, the
// recent time of the thread, and the lost part.
let unclaimed = 0;
let recent = 0;
let lost = 0;

const lineOf = ({ priority, flow }) => `${priority} ${flow.key}`;

function charge(request, time) {
  if (time < 0 || owed.size > 0) {
    const line = lineOf(request);
    time -= owed.get(line) ?? 0;
    owed.delete(line);
    if (time < 0) owed.set(line, -time);
    if (owed.size > MOST_OWED) owed.delete(owed.keys().next().value);
  }
  if (time > 0) request.charge(time);
}

// Charges the requests that samples have named, if they are others. Returns the moved time.
function moveFrom(request) {
  // A sample may come at each call.
  const taken = named;
  named = [];
  const time = sampledTime / samples;
  const own = request === undefined ? undefined : lineOf(request);
  const others = taken.filter((each) => each.isCharged && lineOf(each) !== own);
  for (const each of others) {
    for (let left = time; left > 0; left -= PART) charge(each, Math.min(left, PART));
  }
  return others.length * time;
}

function settle(request) {
  if (inProgress === 0) return;
  const time = activeTime();
  const inTasks = ask(ASK.TASK_TIME);
  const spent = time - mark;
  // The core forgets the time of a task whose end it does not see, and counts the time of one in
  // which the first request has begun from its start on.
  const outside = Math.max(spent - Math.max(inTasks - markInTasks, 0), 0);
  mark = time;
  markInTasks = inTasks;
  if (followers > 0) sampledTime += spent;
  const moved = named.length > 0 ? moveFrom(request) : 0;
  if (request !== undefined) charge(request, spent - moved);
  // Bun and Deno call no hooks, and do not tell when the thread idles.
  if (!hasAsyncIds) return;
  if (request === undefined) unclaimed += outside - moved;
  if (followers === 0) return;
  recent += spent;
  if (request === undefined && outside >= SHORT) lost += outside - moved;
  if (recent <= MEMORY) return;
  recent /= 2;
  lost /= 2;
}

// The request, unless its response has ended.
const liveOf = (request) => (request?.isCharged ? request : undefined);

// A scheduling state may be that of a request, or of one that an admission observes.
const ownerOf = (state) => state?.request ?? state?.observed;

// The request of a scheduling state, which has it itself, or whose signal is that of the request.
const requestOf = (state) => liveOf(ownerOf(state)) ?? liveOf(state?.slots?.decisive.request);

// The code of a request calls the package, perhaps with the scheduling state of a request whose
// context it does not have.
function point(state = undefined) {
  settle(requestOf(carried()) ?? requestOf(state));
}

// Code of a flow has run outside of tasks, whose time is charged here or by the caller. Returns
// whether it was charged.
function pointOf(flow) {
  if (inProgress === 0) return false;
  const request = liveOf(flow?.request);
  if (request !== undefined) settle(request);
  else skip();
  return request !== undefined;
}

// The time since the last point or edge was charged elsewhere.
function skip() {
  mark = activeTime();
  markInTasks = ask(ASK.TASK_TIME);
}

const current = () => (nested.length > 0 ? nested.at(-1) : last);

// A task begins, or a callback of another request.
const edge = () => settle(liveOf(current()));

const observer = { edge, point };

function enter() {
  const resource = executionAsyncResource();
  // From Node 24 on, an AsyncResource changes the context behind the hook.
  const state = resource instanceof TaskResource ? resource.state : carried();
  const request = ownerOf(state);
  if (request === undefined || request !== current()) edge();
  nested.push(request);
}

function leave() {
  const ended = nested.pop();
  if (nested.length === 0) last = ended;
  else if (ended !== nested.at(-1)) settle(liveOf(ended));
}

// The running code is sampled. Before the first sample, the thread that samples has started.
function take() {
  if (samples === undefined) {
    samples = 0;
    sampledTime = 0;
    return;
  }
  samples++;
  if (samples > MOST_SAMPLES) {
    samples /= 2;
    sampledTime /= 2;
  }
  const request = ownerOf(carried());
  if (request !== undefined) named.push(request);
}

// Samples while callbacks are followed and requests are in progress.
function sample() {
  const isNeeded = followers > 0 && inProgress > 0;
  named = [];
  clearTimer(ending);
  if (isNeeded && !hooksSeePromises) sampler ??= observers.startSampler(take);
  sampler?.setBusy(isNeeded);
  if (!isNeeded) ending = setTimer(forget, KEPT).unref();
}

function forget() {
  sampler?.stop();
  sampler = undefined;
  samples = undefined;
  owed.clear();
  recent = 0;
  lost = 0;
}

// The number of requests in progress grows by one.
function begin() {
  if (inProgress++ > 0) return;
  skip();
  observers.ledger = observer;
  if (followers > 0) sample();
}

// The same number falls by one.
function end() {
  if (--inProgress > 0) return;
  observers.ledger = undefined;
  last = undefined;
  if (followers > 0) sample();
}

// Follows the begins and ends of callbacks until the returned function is called. On Node 20 and 22
// a hook follows all promises as well, so this is for a thread with more work than time.
function follow() {
  hook ??= createHook({ before: enter, after: leave, trackPromises: false });
  if (followers++ === 0) {
    hook.enable();
    sample();
  }
  return () => {
    if (--followers > 0) return;
    hook.disable();
    sample();
    // The callbacks under way end without the hook.
    nested.length = 0;
    last = undefined;
  };
}

// The thread's time outside of tasks, in ms, that no request took while some were in progress.
const unclaimedTime = () => Math.max(unclaimed, 0);

// The thread's time of the last point or edge, in ms; and whether callbacks are followed.
const settledAt = () => mark;
const isFollowed = () => followers > 0;

// Whether the program loses the contexts of its requests, so that their times mean little.
const isLost = () => recent >= LEAST && lost > recent * MOST_LOST;

module.exports = {
  begin, end, follow, isFollowed, isLost, point, pointOf, settle, settledAt, unclaimedTime,
};
