'use strict';

// Estimates which requests an admission would refuse that serves them at once: how long each would
// wait if the thread had one queue for each key, and served those with requests at the same time.
// It has no queue: each key has the time at which its requests would be served, on a clock that
// runs as fast as each unit of weight is served. The requests of a key are expected to take the
// mean thread time of those before, and one that would be refused takes none.

const { heap, time, webidl } = require('../../internal.js');
const { FIRST, LONGEST_BOUND, PART_OF_LAST, TIMES } = require('./line.js');

const { PRIORITIES } = webidl;

// The most keys without requests whose means are kept.
const MOST_KEYS = 1000;

const isBefore = (a, b) => a.finish < b.finish;

class Key {
  name;
  weight = 1;
  mean = FIRST;
  // The time of the clock at which all its requests would be served.
  finish = 0;
  // Since when all that arrive would wait for too long.
  lateSince = undefined;
  place = -1;

  constructor(name) {
    this.name = name;
  }
}

class Class {
  #bound;
  #adapts;
  #keys = new Map();
  // Those with requests that would wait or run.
  #active = new heap.Heap(isBefore);
  #weights = 0;
  #clock = 0;
  // The time in ms for which its requests would have the thread.
  ahead = 0;
  isOverloaded = false;

  constructor(bound, adapts) {
    this.#bound = bound;
    this.#adapts = adapts;
  }

  get isContended() {
    return this.isOverloaded && this.#active.size > 1;
  }

  // Returns whether a request would be refused that waits for `ahead` ms of higher priorities.
  arrive({ key: name = '', weight }, ahead, now) {
    const key = this.#keyOf(name);
    const bound = this.#adapts
      ? Math.max(this.#bound, Math.min(LONGEST_BOUND, TIMES * key.mean))
      : this.#bound;
    const wait = ahead + Math.max(key.finish - this.#clock, 0) * this.#weights;
    if (wait > bound) key.lateSince ??= now;
    else key.lateSince = undefined;
    if (now - key.lateSince > bound) this.isOverloaded = true;
    if (this.isOverloaded && wait > bound) return true;
    this.#add(key, weight);
    return false;
  }

  #keyOf(name) {
    let key = this.#keys.get(name);
    if (key === undefined) this.#keys.set(name, key = new Key(name));
    return key;
  }

  #add(key, weight = key.weight) {
    if (key.place >= 0) this.#weights -= key.weight;
    this.#weights += weight;
    key.weight = weight;
    key.finish = Math.max(key.finish, this.#clock) + key.mean / weight;
    this.ahead += key.mean;
    if (key.place >= 0) this.#active.update(key);
    else this.#active.push(key);
  }

  // The thread has had `left` ms for its requests. Returns what they would not have used.
  drain(left) {
    while (this.#active.first !== undefined) {
      const { first } = this.#active;
      const needed = (first.finish - this.#clock) * this.#weights;
      if (needed > left) {
        this.#clock += left / this.#weights;
        this.ahead -= left;
        return 0;
      }
      left -= needed;
      this.ahead -= needed;
      this.#clock = first.finish;
      this.#active.remove(first);
      this.#weights -= first.weight;
      if (this.#keys.size > MOST_KEYS) this.#keys.delete(first.name);
    }
    this.#weights = 0;
    this.ahead = 0;
    this.isOverloaded = false;
    return left;
  }

  // A request of a key has used so many ms.
  learn(name, used) {
    const key = this.#keys.get(name);
    if (key !== undefined) key.mean += (used - key.mean) * PART_OF_LAST;
  }
}

class Estimate {
  #classes;
  #at = time.now();

  constructor({ refuseAfter, adapting }) {
    this.#classes = Object.fromEntries(PRIORITIES.map((each) => {
      return [each, new Class(refuseAfter[each], adapting[each])];
    }));
  }

  // Whether keys with more work than time have to be told apart.
  get isContended() {
    return PRIORITIES.some((each) => this.#classes[each].isContended);
  }

  // Returns whether a request would be refused that arrives.
  arrive(visit, now) {
    let left = Math.max(now - this.#at, 0);
    this.#at = now;
    let ahead = 0;
    for (const each of PRIORITIES) left = this.#classes[each].drain(left);
    for (const each of PRIORITIES) {
      const own = this.#classes[each];
      if (each === visit.priority) return own.arrive(visit, ahead, now);
      ahead += own.ahead;
    }
  }

  // A visit has ended that has used so many ms of the thread.
  learn({ priority, key }, used) {
    this.#classes[priority].learn(key, used);
  }
}

module.exports = { Estimate };
