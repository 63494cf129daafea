'use strict';

// The queues of all requests that wait for their first turn, by priority and key, the oldest first.
// Decides which requests are refused: requests that wait too long, and, if there are too many,
// requests of the lowest priority, or of the key with the longest queue. Only the scheduler decides
// which request is next. Knows neither HTTP nor a clock: each call gets the time in milliseconds.
//
// Each key has its own queue (Line), independent of the requests of other keys: only the requests
// of a key that sends more than its share of the thread wait too long.
//
// With random arrivals, some requests wait long even in a server that has time for all. So, as in
// CoDel, a queue is overloaded only when its oldest request has waited too long for a while without
// a break. From then on no request waits longer than the bound: a request is refused on arrival if
// its estimated wait exceeds the bound. The estimate is the number of requests ahead times the
// recent time between two starts in this queue, which includes all reasons for waiting: requests of
// higher priority, pages in pieces, other work, lost processor time.
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

// The grace in multiples of the bound: if the oldest request exceeds the bound for longer, the
// queue is overloaded. With Poisson arrivals at a load of 0.8, and a bound of 10 service times, one
// request in a thousand exceeds the bound for that long. Background requests wait until all others
// are served.
const GRACE = { 'user-blocking': 1, 'user-visible': 1, 'background': 5 };

// The pace halves its history when it covers more than this many ms.
const MEMORY = 1000;

// By priority; 0 is the highest.
const RANKS = Object.fromEntries(PRIORITIES.map((priority, rank) => [priority, rank]));

// The number of queues of a priority that are kept, even if empty.
const MOST_EMPTY = 64;

// The queue of one priority and key. Sets `line` and `arrivedAt` of its requests.
class Line {
  size = 0;
  priority;
  key;
  isOverloaded = false;
  #bound;
  #grace;
  #requests = new Ring();
  // The time since which the oldest request at each moment has exceeded the bound.
  #lateSince;
  // The recent time in which requests waited here, and the number of starts in it.
  #time = 0;
  #started = 0;
  // The time of the last start, or of the arrival in the empty queue.
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

  // Called when a request gets its turn. Returns whether the request has waited too long.
  start(request, now) {
    this.update(now);
    const isTooLate = this.isTooLate(request, now);
    this.remove(request);
    if (isTooLate) return true;
    this.#time += now - this.#mark;
    this.#started++;
    this.#mark = now;
    if (this.#time > MEMORY) this.#forget();
    // All waiting requests were served in time.
    if (this.size === 0 && now - request.arrivedAt <= this.#bound) this.isOverloaded = false;
    this.update(now);
    return false;
  }

  // Reduces the weight of old starts, without changing the pace.
  #forget() {
    const part = MEMORY / 2 / this.#time;
    this.#time *= part;
    this.#started *= part;
  }

  isTooLate(request, now) {
    return this.isOverloaded && now - request.arrivedAt > this.#bound;
  }

  // Whether a request that arrives now would wait too long. One request may always wait: it shows
  // when the overload has ended.
  wouldBeTooLate(now) {
    if (!this.isOverloaded || this.size === 0) return false;
    const sinceStart = now - this.#mark;
    // Before the first start, only the time since the oldest request arrived is known.
    const pace = Math.max(this.pace, sinceStart);
    return (this.size + 1) * pace - sinceStart > this.#bound;
  }

  // The mean time between two starts while requests wait here; 0 before the first one.
  get pace() {
    return this.#started > 0 ? this.#time / this.#started : 0;
  }

  // Checks whether the oldest request has waited too long.
  update(now) {
    if (this.size === 0 || now - this.oldest.arrivedAt <= this.#bound) {
      this.#lateSince = undefined;
      return;
    }
    this.#lateSince ??= this.oldest.arrivedAt + this.#bound;
    if (now - this.#lateSince > this.#grace) this.isOverloaded = true;
  }

  // The time when the oldest request may have waited too long.
  get deadline() {
    if (this.size === 0) return Infinity;
    const { arrivedAt } = this.oldest;
    if (this.isOverloaded) return arrivedAt + this.#bound;
    return (this.#lateSince ?? arrivedAt + this.#bound) + this.#grace;
  }
}

// The queues of one priority, by key. Keeps some empty queues for their pace and overload state.
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

  // The longest queue.
  get longest() {
    let longest;
    for (const line of this.#lines.values()) if (!(line.size <= longest?.size)) longest = line;
    return longest;
  }
}

// The queues of all priorities.
class Lines {
  #lines;
  #size = 0;
  #maxQueued;
  #refuse;
  // No request is refused before this time.
  #deadline = Infinity;
  // The queues with a new oldest request.
  #changed = new Set();

  // Calls `refuse(request, reason)` for each waiting request that is refused.
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

  // Calls `visit(request, line)` for each queue with a new oldest request, the highest priority
  // first. If `visit` returns false, the queue is visited again the next time.
  visitChanged(visit) {
    if (this.#changed.size === 0) return;
    const changed = [...this.#changed];
    changed.sort((a, b) => RANKS[a.priority] - RANKS[b.priority]);
    for (const line of changed) {
      if (line.size === 0 || visit(line.oldest, line)) this.#changed.delete(line);
    }
  }

  // A request arrives. Returns the reason if it is refused; undefined if it waits.
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

  // Refuses the newest request of the longest queue of the lowest priority below this queue's; if
  // there is none, of the longest queue of the same priority, if that is longer than this queue.
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

  // A request gets its turn. Returns the reason if it is refused; undefined if it is admitted.
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

  // The oldest request of a queue may have changed, or must be visited again.
  changed(line) {
    if (line.size > 0) this.#changed.add(line);
  }

  // Refuses requests that have waited too long, the lowest priority first.
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

  // Refuses requests for which `isRefused(request)` is true. A refusal may end other requests.
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

  // The latest time for the next call of refuseLate().
  get deadline() {
    return this.#size === 0 ? Infinity : this.#deadline;
  }
}

module.exports = { Line, Lines };
