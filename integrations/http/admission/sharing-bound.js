'use strict';

// As many requests run as end in time while they share the thread. Requests whose work is in pieces
// all advance together: the scheduler lets a new one overtake those that have had more time. In an
// overload whose work stands behind an `await` all requests would start, and all would end late. So
// the number of running requests is bounded if two things come together:
//
// - most of the running requests wait for the thread, and have at each look for a while. If they
//   wait for a database, the thread is not what they share;
// - most of those that end have run for longer than the bound of their priority, beyond the least
//   time for which one has run lately. Short requests among long ones end in time, so such a mix is
//   no overload. What a request takes by itself, such as its queries, does not count.
//
// By Little's law, the time for which requests run is in proportion to their number. So the bound
// is the number that end in half of the time of their priority. It counts for requests that start
// from then on, and is not judged by those that started before.

const { RANK_OF } = require('../../../lib/loop/protocol.js');
const { countQueued } = require('../../internal.js');
const { PERSISTENCE } = require('./thread-bound.js');

// Above this number there is no bound.
const NONE = 10_000;

// The least number of requests that are judged together, as long ones may all end at the same
// time.
const SAMPLE = 32;

// The least time for which a request has run is that of so many ms, at least, and of twice as many
// at most.
const LATELY = 10_000;

// In multiples of the bound of a priority: the time of most requests that the bound aims at, and
// below which it grows.
const TARGET = 0.5;
const SHORT = 0.25;

const GROWTH = 1.1;

// The priorities whose requests are judged: background requests end late whenever others run.
const JUDGED = ['user-visible', 'user-blocking'];

// The requests of one priority that have ended.
class Ended {
  #bound;
  #times = [];
  #lowest = Infinity;
  #lowestBefore = Infinity;
  #since = 0;

  constructor(bound) {
    this.#bound = bound;
  }

  note(ran, time) {
    if (time - this.#since > LATELY) {
      this.#lowestBefore = this.#lowest;
      this.#lowest = Infinity;
      this.#since = time;
    }
    this.#lowest = Math.min(this.#lowest, ran);
    this.#times.push(ran);
  }

  // The median time for which they have run beyond the least one, in multiples of the bound.
  // Undefined if too few have ended since the last call with a result.
  take() {
    if (this.#times.length < SAMPLE) return undefined;
    const times = this.#times.sort((a, b) => a - b);
    this.#times = [];
    const least = Math.min(this.#lowest, this.#lowestBefore);
    return (times[times.length >> 1] - least) / this.#bound;
  }

  forget() {
    this.#times = [];
  }
}

class SharingBound {
  // The most requests that may run.
  limit = Infinity;
  #ended;
  // Since when most of the running requests have waited for the thread.
  #contendedSince = Infinity;
  // The time of the last fall.
  #fellAt = -Infinity;

  constructor(refuseAfter) {
    this.#ended = Object.fromEntries(JUDGED.map((priority) =>
      [priority, new Ended(refuseAfter[priority])]));
  }

  // A request has ended. One with a key may be late by itself, as its key has had its share.
  ended({ key, priority, startedAt }, time) {
    if (key !== '' || startedAt < this.#fellAt) return;
    this.#ended[priority]?.note(time - startedAt, time);
  }

  // Looks at the time since `before`.
  step({ time, before, running, waiting }) {
    const isContended = running > 1 && waitingForThread() > running / 2;
    if (!isContended) this.#contendedSince = Infinity;
    else this.#contendedSince = Math.min(this.#contendedSince, before);
    if (!isContended || waiting === 0) this.#grow(2);
    const late = this.#lateness();
    if (late > 1 && time - this.#contendedSince >= PERSISTENCE) this.#fall(late, running, time);
    else if (late < SHORT) this.#grow(GROWTH);
  }

  // Of the priority that is latest. Undefined if it is not known.
  #lateness() {
    const all = Object.values(this.#ended).map((each) => each.take()).filter((each) => each >= 0);
    return all.length === 0 ? undefined : Math.max(...all);
  }

  #fall(late, running, time) {
    this.limit = Math.max(1, Math.floor(Math.min(this.limit, running) * TARGET / late));
    this.#fellAt = time;
    for (const each of Object.values(this.#ended)) each.forget();
  }

  #grow(times) {
    if (this.limit === Infinity) return;
    this.limit = Math.ceil(this.limit * times);
    if (this.limit > NONE) this.limit = Infinity;
  }
}

// The number of continuations that are queued. Each rank has three numbers; see countQueued().
function waitingForThread() {
  const numbers = countQueued();
  return JUDGED.reduce((sum, priority) => sum + numbers[3 * (RANK_OF[priority] + 1)], 0);
}

module.exports = { SharingBound };
