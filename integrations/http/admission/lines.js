'use strict';

// All requests that wait for their first turn, by priority and key, the oldest first, and which of
// them are refused: those that wait too long, and, when there are too many, the least important, or
// those of the key that has the most. The scheduler alone decides which is next. Knows neither HTTP
// nor a clock: times are in milliseconds, and come with each call.
//
// Each key has a line of its own, in which the requests of others do not count: a key that sends
// more than its share of the thread waits too long by itself.
//
// Requests that arrive at random wait long now and then, also in a server that has time for all. A
// line is overloaded only when its oldest request has waited too long for a while without a break,
// as in CoDel. From then on no request waits longer than the bound. One that would is refused on
// arrival, by an estimate: the requests ahead, at the pace at which requests of this line have
// started lately. That pace has all in it that keeps them waiting: more important requests, pages
// in pieces, other work, a processor that is taken away.
//
// Where the rules come from:
// - CoDel (Nichols and Jacobson, "Controlling Queue Delay") and its use for requests (Maurer, "Fail
//   at Scale"): a queue is overloaded when its delay has not been short for an interval.
// - DAGOR (Zhou and others, "Overload Control for Scaling WeChat Microservices"): the time in the
//   queue is the sign of overload, and priorities decide.
// - Netflix's concurrency-limits: Little's law makes a number of requests of a bound on waiting.
//   Limits of concurrency do not suit a thread that runs one request at a time.
// - Envoy's admission control: refusals follow from a window of measurements.

const { Ring, unlink } = require('../../../lib/loop/ring.js');
const { PRIORITIES } = require('../../../lib/webidl/conversions.js');

const LEAST_IMPORTANT_FIRST = [...PRIORITIES].reverse();

// For how many bounds the oldest request may have waited longer than the bound without overload.
// Where Poisson arrivals take 0.8 of the time, and the bound is 10 service times, a request in a
// thousand waits for so much longer. Those of the background wait until all others are served.
const GRACE = { 'user-blocking': 1, 'user-visible': 1, 'background': 5 };

// The pace forgets half when it was measured for so long.
const MEMORY = 1000;

// By priority, the most important first.
const RANKS = Object.fromEntries(PRIORITIES.map((priority, rank) => [priority, rank]));

// So many lines of a priority may be empty.
const MOST_EMPTY = 64;

// The requests of one priority and key. A request gets `line` here, and `arrivedAt`.
class Line {
  size = 0;
  priority;
  key;
  isOverloaded = false;
  #bound;
  #grace;
  #requests = new Ring();
  // Since when the oldest request, whichever it was, has waited longer than the bound.
  #lateSince;
  // How long requests have waited here, of late, and how many have started in that time.
  #time = 0;
  #started = 0;
  // The last start, or the arrival in an empty line.
  #mark = 0;

  constructor(priority, bound, key = '') {
    this.priority = priority;
    this.key = key;
    this.#bound = bound;
    this.#grace = bound * GRACE[priority];
  }

  get oldest() {
    return this.#requests.isEmpty ? undefined : this.#requests.next;
  }

  get newest() {
    return this.#requests.isEmpty ? undefined : this.#requests.previous;
  }

  // The oldest first.
  get all() {
    const all = [];
    for (let each = this.#requests.next; each !== this.#requests; each = each.next) all.push(each);
    return all;
  }

  add(request, now) {
    if (this.size === 0) this.#mark = now;
    request.line = this;
    request.arrivedAt = now;
    this.#requests.push(request);
    this.size++;
  }

  remove(request) {
    unlink(request);
    request.line = undefined;
    this.size--;
  }

  // To be called when a request gets its turn. Returns whether it has waited too long.
  start(request, now) {
    this.update(now);
    const isTooLate = this.isTooLate(request, now);
    this.remove(request);
    if (isTooLate) return true;
    this.#time += now - this.#mark;
    this.#started++;
    this.#mark = now;
    if (this.#time > MEMORY) this.#forget();
    // All that waited have been served in time.
    if (this.size === 0 && now - request.arrivedAt <= this.#bound) this.isOverloaded = false;
    this.update(now);
    return false;
  }

  // Keeps the pace, and lets newer starts count more.
  #forget() {
    const part = MEMORY / 2 / this.#time;
    this.#time *= part;
    this.#started *= part;
  }

  isTooLate(request, now) {
    return this.isOverloaded && now - request.arrivedAt > this.#bound;
  }

  // Whether a request that arrives now would wait too long. One at a time may always wait: it shows
  // when there is time again.
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
    if (this.size === 0 || now - this.oldest.arrivedAt <= this.#bound) {
      this.#lateSince = undefined;
      return;
    }
    this.#lateSince ??= this.oldest.arrivedAt + this.#bound;
    if (now - this.#lateSince > this.#grace) this.isOverloaded = true;
  }

  // When the oldest request may have waited too long.
  get deadline() {
    if (this.size === 0) return Infinity;
    const { arrivedAt } = this.oldest;
    if (this.isOverloaded) return arrivedAt + this.#bound;
    return (this.#lateSince ?? arrivedAt + this.#bound) + this.#grace;
  }
}

// The lines of one priority, by key. One that is empty is forgotten, but for some: they keep their
// pace and whether they are overloaded.
class LinesOfPriority {
  size = 0;
  #lines = new Map();
  #priority;
  #bound;

  constructor(priority, bound) {
    this.#priority = priority;
    this.#bound = bound;
  }

  of(key) {
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = new Line(this.#priority, this.#bound, key);
      this.#lines.set(key, line);
    }
    return line;
  }

  values() {
    return this.#lines.values();
  }

  removed(line) {
    this.size--;
    if (line.size === 0 && this.#lines.size > MOST_EMPTY) this.#lines.delete(line.key);
  }

  // The longest line.
  get longest() {
    let longest;
    for (const line of this.#lines.values()) if (!(line.size <= longest?.size)) longest = line;
    return longest;
  }
}

// Those of all priorities.
class Lines {
  #lines;
  #size = 0;
  #maxQueued;
  #refuse;
  // No request is to be refused before.
  #deadline = Infinity;
  // The lines with a new oldest request.
  #changed = new Set();

  // Calls `refuse(request, reason)` for those that wait and are refused.
  constructor(refuseAfter, maxQueued, refuse) {
    this.#lines = Object.fromEntries(PRIORITIES.map((priority) => {
      return [priority, new LinesOfPriority(priority, refuseAfter[priority])];
    }));
    this.#maxQueued = maxQueued;
    this.#refuse = refuse;
  }

  get size() {
    return this.#size;
  }

  sizeOf(priority) {
    return this.#lines[priority].size;
  }

  // Calls `visit(request, line)` for the oldest request of each line where that has changed, the
  // most important first. Those for which it returns false are visited the next time, too.
  visitChanged(visit) {
    if (this.#changed.size === 0) return;
    const changed = [...this.#changed];
    changed.sort((a, b) => RANKS[a.priority] - RANKS[b.priority]);
    for (const line of changed) {
      if (line.size === 0 || visit(line.oldest, line)) this.#changed.delete(line);
    }
  }

  // A request arrives. Returns why it is refused; undefined if it waits.
  arrive(request, priority, now) {
    this.refuseLate(now);
    const lines = this.#lines[priority];
    const line = lines.of(request.key);
    if (line.wouldBeTooLate(now)) return 'wait';
    if (this.#size >= this.#maxQueued && !this.#makeRoom(line)) return 'queue';
    line.add(request, now);
    lines.size++;
    this.#size++;
    this.#update(line);
    return undefined;
  }

  // Refuses the newest request of the least important line that is less important than this one, or
  // of the longest one of its priority, if that is longer.
  #makeRoom(line) {
    for (const least of LEAST_IMPORTANT_FIRST) {
      const { longest } = this.#lines[least];
      const isLast = least === line.priority;
      if (isLast && !(longest.size > line.size + 1)) return false;
      if (!isLast && !(longest?.size > 0)) continue;
      const { newest } = longest;
      this.leave(newest);
      this.#refuse(newest, 'queue');
      return true;
    }
    return false;
  }

  // It gets its turn. Returns why it is refused; undefined if it is admitted.
  start(request, now) {
    const { line } = request;
    const isTooLate = line.start(request, now);
    this.#removed(line);
    return isTooLate ? 'wait' : undefined;
  }

  leave(request) {
    const { line } = request;
    line.remove(request);
    this.#removed(line);
  }

  #removed(line) {
    this.#size--;
    this.#lines[line.priority].removed(line);
    this.#update(line);
  }

  #update(line) {
    this.#deadline = Math.min(this.#deadline, line.deadline);
    this.changed(line);
  }

  // The oldest request of a line may be another one, or is to be visited again.
  changed(line) {
    if (line.size > 0) this.#changed.add(line);
  }

  // Refuses those that have waited too long, the least important first.
  refuseLate(now) {
    if (this.#size === 0 || now < this.#deadline) return;
    this.#deadline = Infinity;
    for (const priority of LEAST_IMPORTANT_FIRST) {
      for (const line of [...this.#lines[priority].values()]) this.#refuseLateOf(line, now);
    }
  }

  #refuseLateOf(line, now) {
    line.update(now);
    for (let { oldest } = line; oldest !== undefined && line.isTooLate(oldest, now);) {
      this.leave(oldest);
      this.#refuse(oldest, 'wait');
      ({ oldest } = line);
    }
    this.#deadline = Math.min(this.#deadline, line.deadline);
  }

  // Refuses those for which `isRefused(request)` is true. A refusal may lead to the end of others.
  refuseAll(reason, isRefused) {
    for (const priority of LEAST_IMPORTANT_FIRST) {
      const all = [...this.#lines[priority].values()].flatMap((line) => line.all);
      for (const request of all) {
        if (request.line === undefined || !isRefused(request)) continue;
        this.leave(request);
        this.#refuse(request, reason);
      }
    }
  }

  // When refuseLate() has to be called, or earlier.
  get deadline() {
    return this.#size === 0 ? Infinity : this.#deadline;
  }
}

module.exports = { Line, Lines };
