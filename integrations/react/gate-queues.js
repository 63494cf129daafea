'use strict';

// The gates that wait for a turn. There is a queue for each signal, priority and flow, so that all
// gates of a queue have the same priority and belong to one request. Each queue has one listener,
// as Node warns of more than ten on a signal; queues are far fewer than gates.
//
// A queue consists of groups: the gates that React reached in one callback of the loop. A group
// mostly belongs to one render, so asking one of its gates is enough. Thousands of pages may wait,
// so nothing here that a turn needs looks at all of them.

const { abortReason, isAborted } = require('../../lib/signals/aborted.js');
const { Heap, NOWHERE } = require('../../lib/loop/heap.js');
const { currentCallback } = require('./callbacks.js');
const { PRIORITIES } = require('./props.js');

// By flow, signal and priority.
const queues = new Map();

// All queues, and the one that is checked next; see oldest().
const list = new Set();
let checked = list.values();

// By rank, which is an index in PRIORITIES, 0 for the highest: the lanes by flow, and heaps of them
// by key. Gates without a flow have the flow and the key undefined.
const ranks = PRIORITIES.map(() => ({ lanes: new Map(), keys: new Map() }));

// The number of groups.
let size = 0;

// The number of gates that have waited.
let order = 0;

let priorityChanged;
let left;
let patientRequestOf;

const isOlder = (group, other) => group.order < other.order;

// Whether a flow goes before another one with the same key, as in the scheduler: because of a lower
// level, or an earlier opening.
const isBefore = (lane, other) =>
  lane.level === other.level ? lane.order < other.order : lane.level < other.level;

// The groups of a flow with one rank.
class Lane {
  flow;
  // The level of the flow when the lane was last looked at, and its opening.
  level = 0;
  order;
  place = NOWHERE;
  // Those that are not suspect, and the number of all.
  groups = new Heap(isOlder);
  #size = 0;
  #rank;
  #key;
  // The lanes with its key.
  #heap;

  constructor(rank, flow) {
    this.flow = flow;
    this.order = flow?.order;
    this.#rank = ranks[rank];
    this.#key = flow?.key;
    const { lanes, keys } = this.#rank;
    lanes.set(flow, this);
    this.#heap = keys.get(this.#key) ?? new Heap(isBefore);
    keys.set(this.#key, this.#heap);
    this.look();
    this.#heap.push(this);
  }

  get isFirst() {
    return firstOfKey(this.#heap) === this;
  }

  // Reads the level of the flow. Returns whether it has changed.
  look() {
    const { level } = this;
    this.level = this.flow?.place.level ?? 0;
    return this.level !== level;
  }

  add(group) {
    this.#size++;
    if (!group.isSuspect) this.groups.push(group);
  }

  delete(group) {
    this.groups.remove(group);
    if (--this.#size > 0) return;
    const { lanes, keys } = this.#rank;
    lanes.delete(this.flow);
    this.#heap.remove(this);
    if (this.#heap.size === 0) keys.delete(this.#key);
  }
}

class Group {
  // Oldest first.
  gates = new Set();
  queue;
  callback;
  // Whether its render seems to be over. All its gates are being asked then.
  isSuspect = false;
  // The number of its first gate by age.
  order = order;
  place = NOWHERE;

  constructor(queue, callback) {
    this.queue = queue;
    this.callback = callback;
    size++;
  }

  suspect(isSuspect) {
    this.isSuspect = isSuspect;
    if (this.gates.size === 0) return;
    const { groups } = this.queue.lane;
    if (isSuspect) groups.remove(this);
    else groups.push(this);
  }

  delete(gate) {
    this.gates.delete(gate);
    if (this.gates.size === 0) {
      size--;
      this.queue.delete(this);
      return;
    }
    this.order = firstOf(this, 1)[0].order;
    if (this.place !== NOWHERE) this.queue.lane.groups.update(this);
  }
}

class GateQueue {
  // Oldest first.
  groups = new Set();
  lane;
  // Of its lane.
  rank;
  #newest;
  #options;
  // The queues for the same flow and signal, by priority.
  #siblings;
  // The request that waits with these gates.
  #request;

  constructor(options, siblings) {
    const { priority, signal, flow } = options;
    this.#options = options;
    this.#siblings = siblings;
    if (priority === undefined) this.#request = patientRequestOf(signal);
    this.#request?.enter();
    flow?.hold();
    signal?.addEventListener('abort', this.#onAbort);
    signal?.addEventListener('prioritychange', this.#onPriorityChange);
    siblings.set(priority, this);
    list.add(this);
    this.#enterLane();
  }

  get #currentRank() {
    const { priority, signal } = this.#options;
    return PRIORITIES.indexOf(priority ?? signal.priority);
  }

  #enterLane() {
    const { flow } = this.#options;
    this.rank = this.#currentRank;
    this.lane = ranks[this.rank].lanes.get(flow) ?? new Lane(this.rank, flow);
    for (const group of this.groups) this.lane.add(group);
  }

  add(gate) {
    const callback = currentCallback();
    gate.order = order;
    if (this.#newest?.callback !== callback) {
      this.#newest = new Group(this, callback);
      this.groups.add(this.#newest);
      this.lane.add(this.#newest);
    }
    order++;
    this.#newest.gates.add(gate);
    return this.#newest;
  }

  delete(group) {
    this.lane.delete(group);
    this.groups.delete(group);
    if (this.#newest === group) this.#newest = undefined;
    if (this.groups.size > 0) return;
    const { priority, signal, flow } = this.#options;
    list.delete(this);
    this.#siblings.delete(priority);
    if (this.#siblings.size === 0) queues.get(flow).delete(signal);
    if (queues.get(flow)?.size === 0) queues.delete(flow);
    this.#request?.left();
    flow?.release();
    left();
    // A polyfill may lack the method, or throw: then the listeners stay, harmlessly.
    try {
      signal?.removeEventListener('abort', this.#onAbort);
      signal?.removeEventListener('prioritychange', this.#onPriorityChange);
    } catch {
      // See above.
    }
  }

  // Follows its signal. Also called without an event, as other listeners may have stopped it.
  check() {
    if (this.failIfAborted() || this.rank === this.#currentRank) return;
    for (const group of this.groups) this.lane.delete(group);
    this.#enterLane();
  }

  failIfAborted() {
    const { signal } = this.#options;
    if (signal === undefined || !isAborted(signal)) return false;
    const reason = abortReason(signal);
    for (const { gates } of this.groups) for (const gate of gates) gate.fail(reason);
    return true;
  }

  #onAbort = () => void this.failIfAborted();

  #onPriorityChange = () => {
    this.check();
    priorityChanged();
  };
}

const entryOf = (map, key) => map.get(key) ?? map.set(key, new Map()).get(key);

// Adds a waiting gate. Returns its group.
function add(gate) {
  const { priority, signal, flow } = gate.options;
  const siblings = entryOf(entryOf(queues, flow), signal);
  const queue = siblings.get(priority) ?? new GateQueue(gate.options, siblings);
  return queue.add(gate);
}

// The highest priority among the gates, as an index in PRIORITIES; undefined if none waits.
function bestRank() {
  const best = ranks.findIndex(({ lanes }) => lanes.size > 0);
  return best < 0 ? undefined : best;
}

// The first gates of a group, at most `count`.
function firstOf({ gates }, count) {
  const first = [];
  for (const gate of gates) if (first.push(gate) === count) break;
  return first;
}

// The first flow of each key among the flows with gates of a rank.
const firstFlows = (rank) => [...ranks[rank].keys.values()].map((heap) => firstOfKey(heap).flow);

// Whether a flow is one of them.
const isFirst = (rank, flow) => ranks[rank].lanes.get(flow)?.isFirst === true;

// The number of calls, to look at each lane from time to time.
let looks = 0;

// The level of a flow rises when the flow has run. New bounds of the levels can move any flow.
function firstOfKey(heap) {
  const other = heap.at(looks++ % heap.size);
  if (other.look()) heap.update(other);
  while (heap.first.look()) heap.update(heap.first);
  return heap.first;
}

// The first gates of the oldest groups of a rank: of at most `count` groups, `each` gates of each.
// Groups of the given flow come first.
function oldest(rank, flow, count, each) {
  checkNext();
  const { lanes } = ranks[rank];
  const own = lanes.get(flow);
  const found = own === undefined ? [] : oldestOf(own, count);
  for (const lane of lanes.values()) {
    if (found.length >= count) break;
    if (lane !== own) found.push(...oldestOf(lane, count - found.length));
  }
  return found.flatMap((group) => firstOf(group, each));
}

function oldestOf({ groups }, count) {
  const found = [];
  while (groups.size > 0 && found.length < count) {
    const { first } = groups;
    if (first.queue.failIfAborted()) continue;
    groups.remove(first);
    found.push(first);
  }
  for (const group of found) groups.push(group);
  return found;
}

// Checks one of the queues.
function checkNext() {
  let { value } = checked.next();
  if (value === undefined) {
    checked = list.values();
    ({ value } = checked.next());
  }
  value?.check();
}

const groups = () => [...list].flatMap((queue) => [...queue.groups]);

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
  isFirst,
  oldest,
  onLeft,
  onPriorityChange,
  onRequests,
};
