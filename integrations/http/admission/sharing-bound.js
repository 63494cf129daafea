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
//
// Each priority has a bound of its own, as its requests overtake those of lower ones: they start
// however many of these run.

const { countQueued, RANK_OF, webidl } = require('../../internal.js');
const { PERSISTENCE } = require('./thread-bound.js');

const { PRIORITIES } = webidl;

// Above this number there is no bound.
const NONE = 10_000;

// The least number of requests that are judged together, as long ones may all end at the same
// time.
const SAMPLE = 32;

// The least time for which a request has run is that of so many ms, at least, and of twice as many
// at most.
const LATELY = 10_000;

// In multiples of the patience of a priority: the time of most requests that the bound aims at, and
// below which it grows.
const TARGET = 0.5;
const SHORT = 0.25;

const GROWTH = 1.1;

// The requests of a priority that have ended.
class Ended {
  #patience;
  #times = [];
  #lowest = Infinity;
  #lowestBefore = Infinity;
  #since = 0;

  constructor(patience) {
    this.#patience = patience;
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

  // The median time for which they have run beyond the least one, in multiples of the patience.
  // Undefined if too few have ended since the last call with a result.
  take() {
    if (this.#times.length < SAMPLE) return undefined;
    const times = this.#times.sort((a, b) => a - b);
    this.#times = [];
    const least = Math.min(this.#lowest, this.#lowestBefore);
    return (times[times.length >> 1] - least) / this.#patience;
  }

  forget() {
    this.#times = [];
  }
}

class SharingBound {
  // The most requests of the priority, and of higher ones, that may run.
  limit = Infinity;
  #priority;
  #ended;
  // Since when most of the running requests have waited for the thread.
  #contendedSince = Infinity;
  // The time of the last fall.
  #fellAt = -Infinity;

  // `patience` is the bound in ms of the wait of its requests.
  constructor(priority, patience) {
    this.#priority = priority;
    this.#ended = new Ended(patience);
  }

  // A request of the priority has ended. One with a key may be late by itself, as its key has had
  // its share.
  ended({ key, startedAt }, time) {
    if (key !== '' || startedAt < this.#fellAt) return;
    this.#ended.note(time - startedAt, time);
  }

  // Looks at the time since `before`.
  step({ time, before, running, waiting }) {
    const isContended = running > 1 && waitingForThread(this.#priority) > running / 2;
    if (!isContended) this.#contendedSince = Infinity;
    else this.#contendedSince = Math.min(this.#contendedSince, before);
    if (!isContended || waiting === 0) this.#grow(2);
    const late = this.#ended.take();
    if (late > 1 && time - this.#contendedSince >= PERSISTENCE) this.#fall(late, running, time);
    else if (late < SHORT) this.#grow(GROWTH);
  }

  #fall(late, running, time) {
    this.limit = Math.max(1, Math.floor(Math.min(this.limit, running) * TARGET / late));
    this.#fellAt = time;
    this.#ended.forget();
  }

  #grow(times) {
    if (this.limit === Infinity) return;
    this.limit = Math.ceil(this.limit * times);
    if (this.limit > NONE) this.limit = Infinity;
  }
}

// The sum of the numbers of a priority and of higher ones.
function sumFrom(priority, numberOf) {
  let sum = 0;
  for (const each of PRIORITIES) {
    sum += numberOf(each);
    if (each === priority) break;
  }
  return sum;
}

// The number of queued continuations. Each rank has three numbers; see countQueued().
function waitingForThread(priority) {
  const numbers = countQueued();
  return sumFrom(priority, (each) => numbers[3 * (RANK_OF[each] + 1)]);
}

module.exports = { SharingBound, sumFrom };
