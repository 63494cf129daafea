'use strict';

// The groups of gates that wait. A group has the gates of one flow, signal and priority that React
// has reached in one callback of the loop. They mostly belong to one render, so asking one of them
// is enough. While a group waits, its flow does, and so does the request whose priority the group
// has, if the request counts its waits.

const { heap, onAbort, prioritySlots } = require('../internal.js');
const { currentCallback } = require('./callbacks.js');
const { laneOf } = require('./lanes.js');
const { PRIORITIES } = require('./props.js');

const { NOWHERE } = heap;

// By signal: the groups of the callback with this number.
const newest = new Map();
let callback;

// The number of gates that have waited.
let count = 0;

class Group {
  // The neighbours among those that follow the signal.
  previous = undefined;
  next = undefined;
  // Oldest first.
  gates = new Set();
  priority;
  signal;
  flow;
  lane;
  // Whether its render seems to be over. All its gates are being asked then.
  isSuspect = false;
  // For the order of its lane: the level of its flow when it was last looked at, the order of the
  // flow, and the number of its first gate by age.
  level = 0;
  flowOrder;
  order = count;
  place = NOWHERE;
  #key;
  // If it follows the priority of its signal.
  #slots;
  #request;
  #subscription;

  constructor({ priority, signal, flow }) {
    this.priority = priority;
    this.signal = signal;
    this.flow = flow;
    flow?.beginWait();
    this.flowOrder = flow?.order;
    this.#key = flow?.key;
    if (priority === undefined) this.#follow();
    this.#enter(priority ?? this.#slots.priority);
    if (signal !== undefined) this.#subscription = onAbort(signal, (reason) => this.fail(reason));
  }

  #follow() {
    this.#slots = prioritySlots(this.signal);
    this.#slots.attach(this);
    const { request } = this.#slots.decisive;
    if (!request?.isPatient) return;
    this.#request = request;
    request.enter();
  }

  #enter(priority) {
    this.lane = laneOf(PRIORITIES.indexOf(priority), this.#key);
    this.lane.add(this);
  }

  // The priority of the signal has changed.
  setPriority(priority) {
    if (this.gates.size === 0 || PRIORITIES[this.lane.rank] === priority) return;
    this.lane.delete(this);
    this.#enter(priority);
  }

  // Reads the level of the flow. Returns whether it has changed.
  look() {
    const { level } = this;
    this.level = this.flow?.place.level ?? 0;
    return this.level !== level;
  }

  // The first gates, at most `most`.
  take(most) {
    const taken = [];
    for (const gate of this.gates) if (taken.push(gate) === most) break;
    return taken;
  }

  suspect(isSuspect) {
    this.isSuspect = isSuspect;
    if (this.gates.size > 0) this.lane.sort(this);
  }

  fail(reason) {
    for (const gate of this.gates) gate.fail(reason);
  }

  delete(gate) {
    this.gates.delete(gate);
    const [first] = this.gates;
    if (first === undefined) {
      this.#end();
    } else if (this.order !== first.order) {
      this.order = first.order;
      this.lane.sort(this);
    }
  }

  #end() {
    this.lane.delete(this);
    this.#slots?.detach(this);
    this.#subscription?.end();
    this.#request?.left();
    this.flow?.endWait();
    if (newest.get(this.signal)?.includes(this)) newest.delete(this.signal);
  }
}

// Adds a waiting gate. Returns its group.
function add(gate) {
  const { priority, signal, flow } = gate.options;
  if (callback !== currentCallback()) newest.clear();
  callback = currentCallback();
  const groups = newest.get(signal) ?? newest.set(signal, []).get(signal);
  let group = groups.find((each) => each.priority === priority && each.flow === flow);
  if (group === undefined) {
    group = new Group(gate.options);
    groups.push(group);
  }
  gate.order = count++;
  group.gates.add(gate);
  return group;
}

module.exports = { add };
