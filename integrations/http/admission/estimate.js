'use strict';

// Estimates which requests an admission would refuse that serves them at once: how long each would
// wait if the thread had one queue for each key, and served those with requests at the same time.
// It has no queue: each key has the time at which its requests would be served, on a clock that
// runs as fast as each unit of weight is served. The requests of a key are expected to take the
// mean thread time of those before until they have ended, and one that would be refused takes none.
//
// A saturated server accepts connections and reads requests only as fast as it serves them, so that
// it never sees all. So a request counts as well that has waited for longer than its bound, if no
// other key uses more of the thread. All in all the number is a lower bound.

const { heap, time, webidl } = require('../../internal.js');
const { AvailableTime } = require('./available-time.js');
const { FIRST, LONGEST_BOUND, PART_OF_LAST, TIMES } = require('./line.js');

const { PRIORITIES } = webidl;

// The thread is busy if it was active for this part of the last so many ms.
const BUSY = 0.8;
const WINDOW = 500;

// The most keys without requests whose means are kept.
const MOST_KEYS = 1000;

// The time in ms in which what a key has used falls to a third, and the part of the most used time
// from which on a key uses most.
const RECENT = 2000;
const NEARLY = 0.8;

const isBefore = (a, b) => a.finish < b.finish;

class Key {
  name;
  weight = 1;
  // undefined before the first request has ended.
  mean = undefined;
  // The time of the clock at which all its requests would be served.
  finish = 0;
  // Since when all that arrive would wait for too long.
  lateSince = undefined;
  // The recent thread time of its requests, in ms, and the time up to which it counts.
  #recent = 0;
  #at = 0;
  place = -1;

  constructor(name) {
    this.name = name;
  }

  recent(now) {
    return this.#recent * Math.exp((this.#at - now) / RECENT);
  }

  use(time, now) {
    this.#recent = this.recent(now) + time;
    this.#at = now;
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
  // The mean thread time of a request.
  #mean = FIRST;
  // The key that has used most lately.
  #top = undefined;
  // The time in ms for which its requests would have the thread.
  ahead = 0;
  #isOverloaded = false;

  constructor(bound, adapts) {
    this.#bound = bound;
    this.#adapts = adapts;
  }

  // Returns whether a visit would be refused that waits for `ahead` ms of higher priorities.
  arrive(visit, ahead, now) {
    const key = this.#keyOf(visit.key);
    const bound = this.#boundOf(key);
    const wait = ahead + Math.max(key.finish - this.#clock, 0) * this.#weights;
    if (wait > bound) key.lateSince ??= now;
    else key.lateSince = undefined;
    if (now - key.lateSince > bound) this.#isOverloaded = true;
    if (this.#isOverloaded && wait > bound) return true;
    visit.expected = key.mean ?? this.#mean;
    this.#add(key, visit.expected, visit.weight);
    return false;
  }

  // The oldest key without requests makes room for another one.
  #forget() {
    if (this.#keys.size < MOST_KEYS) return;
    const [key] = this.#keys.values();
    this.#keys.delete(key.name);
    // It stays in its place if it has some.
    if (key.place >= 0) this.#keys.set(key.name, key);
  }

  #boundOf({ mean = this.#mean }) {
    if (!this.#adapts) return this.#bound;
    return Math.max(this.#bound, Math.min(LONGEST_BOUND, TIMES * mean));
  }

  #keyOf(name = '') {
    let key = this.#keys.get(name);
    if (key === undefined) {
      this.#forget();
      this.#keys.set(name, key = new Key(name));
    }
    return key;
  }

  #add(key, time, weight = key.weight) {
    if (key.place >= 0) this.#weights -= key.weight;
    this.#weights += weight;
    key.weight = weight;
    key.finish = Math.max(key.finish, this.#clock) + time / weight;
    this.ahead += time;
    if (key.place >= 0) this.#active.update(key);
    else this.#active.push(key);
  }

  // A request of a key has used more than was expected, or less.
  #correct(key, time) {
    if (key.place < 0) return;
    const change = Math.max(time / key.weight, this.#clock - key.finish);
    key.finish += change;
    this.ahead += change * key.weight;
    this.#active.update(key);
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
    }
    this.#weights = 0;
    this.ahead = 0;
    this.#isOverloaded = false;
    return left;
  }

  // A visit has ended. Returns whether it has waited for too long.
  learn({ key: name, expected, used }, wait, now) {
    const key = this.#keyOf(name);
    const isLate = wait > this.#boundOf(key);
    const { mean = used } = key;
    key.mean = mean + (used - mean) * PART_OF_LAST;
    this.#mean += (used - this.#mean) * PART_OF_LAST;
    if (expected !== undefined) this.#correct(key, used - expected);
    key.use(used, now);
    const most = this.#top?.recent(now) ?? 0;
    const isTop = key.recent(now) >= NEARLY * most;
    if (key.recent(now) >= most) this.#top = key;
    return isLate && isTop;
  }
}

class Estimate {
  #classes;
  #available = new AvailableTime();
  // The begin of the window, the thread's active time then, and whether the last one was busy.
  #since = time.now();
  #activeAt = time.activeTime();
  #isBusy = false;

  constructor({ refuseAfter, adapting }) {
    this.#classes = Object.fromEntries(PRIORITIES.map((each) => {
      return [each, new Class(refuseAfter[each], adapting[each])];
    }));
  }

  // Whether the thread has had little time left.
  get isBusy() {
    return this.#isBusy;
  }

  // Returns whether a request would be refused that arrives.
  arrive(visit, now) {
    let left = this.#available.take(now);
    let ahead = 0;
    for (const each of PRIORITIES) left = this.#classes[each].drain(left);
    for (const each of PRIORITIES) {
      const own = this.#classes[each];
      if (each === visit.priority) return own.arrive(visit, ahead, now);
      ahead += own.ahead;
    }
    return false;
  }

  // Measures how busy the thread is, at each arrival.
  measure(now) {
    if (now - this.#since < WINDOW) return;
    const active = time.activeTime();
    this.#isBusy = active - this.#activeAt > BUSY * (now - this.#since);
    this.#since = now;
    this.#activeAt = active;
  }

  // A visit has ended that has waited for so many ms. Returns whether it would be refused.
  learn(visit, wait, now) {
    return this.#classes[visit.priority].learn(visit, wait, now);
  }
}

module.exports = { Estimate };
