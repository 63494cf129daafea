'use strict';

// The gates that wait for a turn. There is a queue for each signal, priority and flow, so that all
// gates of a queue have the same priority and belong to one request. Each queue has one listener,
// as Node warns of more than ten on a signal; queues are far fewer than gates.
//
// A queue consists of groups: the gates that React reached in one callback of the loop. A group
// mostly belongs to one render, so asking one of its gates is enough.

const { abortReason, isAborted } = require('../../lib/signals/aborted.js');
const { currentCallback } = require('./callbacks.js');
const { PRIORITIES } = require('./props.js');

const queues = new Set();

// The number of groups.
let size = 0;

// The number of gates that have waited.
let order = 0;

let priorityChanged;
let left;
let patientRequestOf;

class Group {
  // Oldest first.
  gates = new Set();
  queue;
  callback;
  // Whether its render seems to be over. All its gates are being asked then.
  isSuspect = false;

  constructor(queue, callback) {
    this.queue = queue;
    this.callback = callback;
    size++;
  }

  delete(gate) {
    this.gates.delete(gate);
    if (this.gates.size > 0) return;
    size--;
    this.queue.delete(this);
  }
}

class GateQueue {
  // Oldest first.
  groups = new Set();
  // The flow of the request; undefined without a request.
  flow;
  #newest;
  #priority;
  #signal;
  // The request that waits with these gates.
  #request;

  constructor({ priority, signal, flow }) {
    this.flow = flow;
    this.#priority = priority;
    this.#signal = signal;
    if (priority === undefined) this.#request = patientRequestOf(signal);
    this.#request?.enter();
    flow?.hold();
    signal?.addEventListener('abort', this.#onAbort);
    signal?.addEventListener('prioritychange', priorityChanged);
    queues.add(this);
  }

  isFor({ priority, signal, flow }) {
    return this.#signal === signal && this.#priority === priority && this.flow === flow;
  }

  // The index of its priority in PRIORITIES: 0 is the highest.
  get rank() {
    return PRIORITIES.indexOf(this.#priority ?? this.#signal.priority);
  }

  add(gate) {
    const callback = currentCallback();
    if (this.#newest?.callback !== callback) {
      this.#newest = new Group(this, callback);
      this.groups.add(this.#newest);
    }
    gate.order = order++;
    this.#newest.gates.add(gate);
    return this.#newest;
  }

  delete(group) {
    this.groups.delete(group);
    if (this.#newest === group) this.#newest = undefined;
    if (this.groups.size > 0) return;
    queues.delete(this);
    this.#request?.left();
    this.flow?.release();
    left();
    const signal = this.#signal;
    // A polyfill may lack the method, or throw: then the listeners stay, harmlessly.
    try {
      signal?.removeEventListener('abort', this.#onAbort);
      signal?.removeEventListener('prioritychange', priorityChanged);
    } catch {
      // See above.
    }
  }

  // Also called without an event, as other listeners of the signal may have stopped the event.
  failIfAborted() {
    if (this.#signal === undefined || !isAborted(this.#signal)) return false;
    const reason = abortReason(this.#signal);
    for (const { gates } of this.groups) for (const gate of gates) gate.fail(reason);
    return true;
  }

  #onAbort = () => void this.failIfAborted();
}

// Adds a waiting gate. Returns its group.
function add(gate) {
  const { options } = gate;
  for (const queue of queues) if (queue.isFor(options)) return queue.add(gate);
  return new GateQueue(options).add(gate);
}

// The highest priority among the gates, as an index in PRIORITIES; undefined if none waits.
function bestRank() {
  let best;
  for (const { rank } of queues) if (best === undefined || rank < best) best = rank;
  return best;
}

// The first gates of a group, at most `count`.
function firstOf({ gates }, count) {
  const first = [];
  for (const gate of gates) if (first.push(gate) === count) break;
  return first;
}

// Whether a flow goes before another one with the same key, as in the scheduler: because of a lower
// level, or an earlier opening.
function isBefore(flow, other) {
  const level = flow.place.level - other.place.level;
  return level === 0 ? flow.order < other.order : level < 0;
}

// The first flow of each key among the flows with gates of a rank. Gates without a flow count as
// the flow undefined.
function firstFlows(rank) {
  const firsts = new Map();
  for (const { flow, rank: own } of queues) {
    if (own !== rank) continue;
    const key = flow?.key;
    const first = firsts.get(key);
    if (first === undefined || (first !== flow && isBefore(flow, first))) firsts.set(key, flow);
  }
  return [...firsts.values()];
}

// The first gates of the oldest groups of a rank: of at most `count` groups, `each` gates of each.
// Groups of the given flow come first.
function oldest(rank, flow, count, each) {
  const all = [...queues].filter((queue) => queue.rank === rank && !queue.failIfAborted());
  const own = oldestOf(all.filter((queue) => queue.flow === flow), count, each);
  if (own.length >= count) return own.flat();
  const others = all.filter((queue) => queue.flow !== flow);
  return [...own, ...oldestOf(others, count - own.length, each)].flat();
}

function oldestOf(some, count, each) {
  const found = [];
  for (const queue of some) {
    let left = count;
    for (const group of queue.groups) {
      if (group.isSuspect) continue;
      if (left-- === 0) break;
      found.push(firstOf(group, each));
    }
  }
  found.sort((a, b) => a[0].order - b[0].order);
  return found.slice(0, count);
}

const groups = () => [...queues].flatMap((queue) => [...queue.groups]);

// The first gate of each group.
const firsts = () => groups().flatMap((group) => firstOf(group, 1));

const all = () => groups().flatMap(({ gates }) => [...gates]);

// `callback` is called when the priority of a signal changes.
function onPriorityChange(callback) {
  priorityChanged = callback;
}

// `callback` is called when a queue becomes empty.
function onLeft(callback) {
  left = callback;
}

// `callback` returns the request whose priority a signal has, if the request counts the waits of
// gates.
function onRequests(callback) {
  patientRequestOf = callback;
}

module.exports = {
  add,
  all,
  bestRank,
  countGroups: () => size,
  firstFlows,
  firsts,
  oldest,
  onLeft,
  onPriorityChange,
  onRequests,
};
