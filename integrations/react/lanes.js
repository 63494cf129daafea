'use strict';

// The order of the groups of gates that wait; see groups.js. The groups of one priority and
// fairness key are a lane. The scheduler decides between lanes, and so between priorities, keys and
// other work: each lane has one task there, of the flow of its first group; see openings.js. Inside
// a lane the order is that of isBefore().
//
// With a task of each flow, the scheduler would also decide inside a lane. But while React renders
// one section, all these tasks would start in vain. Thousands of pages may wait, so nothing that
// an opening needs looks at all groups.

const { heap } = require('../internal.js');
const { PRIORITIES } = require('./props.js');

const { Heap } = heap;

// By rank, which is an index in PRIORITIES, 0 for the highest: the lanes by key, and the number of
// their groups. Groups without a flow have the key undefined.
const ranks = PRIORITIES.map(() => ({ lanes: new Map(), groups: 0 }));

let changed;

// The order in which the scheduler serves the flows of a key: by level, then by order. Groups of
// a flow go by age.
function isBefore(group, other) {
  if (group.level !== other.level) return group.level < other.level;
  if (group.flowOrder !== other.flowOrder) return group.flowOrder < other.flowOrder;
  return group.order < other.order;
}

// Remains while it has groups or a giver.
class Lane {
  rank;
  groups = new Set();
  // The task that opens gates of one flow, as { flow }; see openings.js.
  giver = undefined;
  #key;
  // The groups that are not suspect; see questions.js.
  #order = new Heap(isBefore);
  // The number of looks, to look at each group from time to time.
  #looks = 0;

  constructor(rank, key) {
    this.rank = rank;
    this.#key = key;
    ranks[rank].lanes.set(key, this);
  }

  // The first group that is not suspect; undefined if there is none. The level of a flow rises when
  // the flow has run. New bounds of the levels can move any flow.
  get first() {
    const order = this.#order;
    if (order.size === 0) return undefined;
    const other = order.at(this.#looks++ % order.size);
    if (other.look()) order.update(other);
    while (order.first.look()) order.update(order.first);
    return order.first;
  }

  // Whether the next opening is one of this flow. While all groups are suspect, any flow goes on,
  // as its groups may turn out to wait.
  isNext(flow) {
    const { first } = this;
    return first === undefined ? this.groups.size > 0 : first.flow === flow;
  }

  add(group) {
    this.groups.add(group);
    ranks[this.rank].groups++;
    this.sort(group);
  }

  // The group has other gates, or has become suspect, or is not suspect any more.
  sort(group) {
    this.#order.remove(group);
    if (group.isSuspect) return;
    group.look();
    this.#order.push(group);
    changed(this);
  }

  delete(group) {
    this.groups.delete(group);
    ranks[this.rank].groups--;
    this.#order.remove(group);
    this.endIfUnused();
  }

  endIfUnused() {
    const { lanes } = ranks[this.rank];
    const isUsed = this.groups.size > 0 || this.giver !== undefined;
    if (!isUsed && lanes.get(this.#key) === this) lanes.delete(this.#key);
  }

  fail(reason) {
    for (const group of this.groups) group.fail(reason);
  }

  // The first groups, at most `count`. If the lane has fewer, groups of other lanes of its priority
  // follow.
  take(count) {
    const taken = this.#take(count);
    for (const other of ranks[this.rank].lanes.values()) {
      if (taken.length === count) break;
      if (other !== this) taken.push(...other.#take(count - taken.length));
    }
    return taken;
  }

  #take(count) {
    const taken = [];
    while (taken.length < count && this.#order.size > 0) {
      const { first } = this;
      this.#order.remove(first);
      taken.push(first);
    }
    for (const group of taken) this.#order.push(group);
    return taken;
  }
}

const laneOf = (rank, key) => ranks[rank].lanes.get(key) ?? new Lane(rank, key);

const countGroups = () => ranks.reduce((sum, { groups }) => sum + groups, 0);

function listGroups() {
  const lanes = ranks.flatMap((rank) => [...rank.lanes.values()]);
  return lanes.flatMap(({ groups }) => [...groups]);
}

// `callback` is called with a lane that may have another first group than before.
function onChange(callback) {
  changed = callback;
}

module.exports = { countGroups, laneOf, listGroups, onChange };
