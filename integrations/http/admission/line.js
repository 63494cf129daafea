'use strict';

// The requests of one priority that wait for their first turn, the oldest first, and whether there
// are more of them than can be served. Knows neither HTTP nor a clock: times are in milliseconds,
// and come with each call.
//
// Requests that arrive at random wait long now and then, also in a server that has time for all. A
// line is overloaded only when its oldest request has waited too long for a while without a break,
// as in CoDel. From then on nobody waits longer than the bound, and who would is refused on arrival
// by an estimate: the requests ahead, at the pace at which requests of this line have started
// lately. That pace holds all that keeps them waiting, whatever it is: more important requests,
// pages in pieces, other work, a processor that is taken away.

// For how many bounds the oldest request may have waited longer than the bound without overload.
// Where Poisson arrivals take 0.8 of the time, and the bound is 10 service times, a request in a
// thousand waits for so much longer. Those of the background wait until all others are served.
const GRACE = { 'user-blocking': 1, 'user-visible': 1, 'background': 5 };

// The pace forgets half when it was measured for so long.
const MEMORY = 1000;

// A request that waits, or has waited.
class Place {
  arrivedAt = 0;
  line = undefined;
  previous = undefined;
  next = undefined;
}

class Line {
  size = 0;
  isOverloaded = false;
  #bound;
  #grace;
  #head;
  #tail;
  // Since when the oldest request, whichever it was, has waited longer than the bound.
  #lateSince;
  // How long requests have waited here, of late, and how many have started in that time.
  #time = 0;
  #started = 0;
  // The last start, or the arrival in an empty line.
  #mark = 0;

  constructor(priority, bound) {
    this.#bound = bound;
    this.#grace = bound * GRACE[priority];
  }

  get oldest() {
    return this.#head;
  }

  get newest() {
    return this.#tail;
  }

  // The oldest first.
  *places() {
    for (let place = this.#head; place !== undefined; place = place.next) yield place;
  }

  add(place, now) {
    if (this.size === 0) this.#mark = now;
    place.line = this;
    place.arrivedAt = now;
    place.previous = this.#tail;
    if (this.#tail === undefined) this.#head = place;
    else this.#tail.next = place;
    this.#tail = place;
    this.size++;
  }

  remove(place) {
    const { previous, next } = place;
    if (previous === undefined) this.#head = next;
    else previous.next = next;
    if (next === undefined) this.#tail = previous;
    else next.previous = previous;
    place.line = undefined;
    place.previous = undefined;
    place.next = undefined;
    this.size--;
  }

  // To be called when a request gets its turn. Returns whether it has waited too long.
  start(place, now) {
    this.update(now);
    const isTooLate = this.isTooLate(place, now);
    this.remove(place);
    if (isTooLate) return true;
    this.#time += now - this.#mark;
    this.#started++;
    this.#mark = now;
    if (this.#time > MEMORY) this.#forget();
    // All who waited have been served in time.
    if (this.size === 0 && now - place.arrivedAt <= this.#bound) this.isOverloaded = false;
    this.update(now);
    return false;
  }

  // Keeps the pace, and lets newer starts count more.
  #forget() {
    const part = MEMORY / 2 / this.#time;
    this.#time *= part;
    this.#started *= part;
  }

  isTooLate(place, now) {
    return this.isOverloaded && now - place.arrivedAt > this.#bound;
  }

  // Whether a request that arrives now would wait too long. One at a time may always wait: without
  // it nobody would learn that there is time again.
  wouldBeTooLate(now) {
    if (!this.isOverloaded || this.size === 0) return false;
    const sinceStart = now - this.#mark;
    // Before the first start, the time since the oldest request arrived is all that is known.
    const pace = Math.max(this.pace, sinceStart);
    return (this.size + 1) * pace - sinceStart > this.#bound;
  }

  // The mean time between two starts while requests wait here; 0 before the first one.
  get pace() {
    return this.#started > 0 ? this.#time / this.#started : 0;
  }

  // Looks whether the oldest request has waited too long.
  update(now) {
    if (this.#head === undefined || now - this.#head.arrivedAt <= this.#bound) {
      this.#lateSince = undefined;
      return;
    }
    this.#lateSince ??= this.#head.arrivedAt + this.#bound;
    if (now - this.#lateSince > this.#grace) this.isOverloaded = true;
  }

  // When the oldest request may have waited too long.
  get deadline() {
    if (this.#head === undefined) return Infinity;
    const { arrivedAt } = this.#head;
    if (this.isOverloaded) return arrivedAt + this.#bound;
    return (this.#lateSince ?? arrivedAt + this.#bound) + this.#grace;
  }
}

module.exports = { Line, Place };
