'use strict';

// The queues of all requests that wait for their first turn, by priority and key, the oldest first.
// Decides which requests are refused: requests that wait too long, and, if there are too many,
// requests of the lowest priority, or of the key with the longest queue. Decides which keys post
// their oldest requests; the scheduler decides which of these is next. Knows neither HTTP nor a
// clock: each waiting request is a visit, and each call gets the time in milliseconds.
//
// Each key has its own queue (Line), independent of the requests of other keys: only the requests
// of a key that sends more than its share of the thread wait too long. A queue ends with its last
// waiting or running request, and no call takes longer than a time logarithmic in their number.
//
// With random arrivals, some requests wait long even in a server that has time for all. So, as in
// CoDel, a priority is overloaded only when its oldest request has waited too long for a while
// without a break. From then on no request waits longer than the bound: a request is refused on
// arrival if its estimated wait exceeds the bound. The estimate is the number of requests ahead in
// its queue times the recent time between two starts there, which includes all reasons for waiting:
// requests of higher priority, pages in pieces, other work, lost processor time.
//
// If not all keys may post a request, the next one is of the key whose requests have used the least
// thread time per weight, or, with `maxRunning`, time in progress, as the bottleneck is elsewhere.
// A running request is charged in advance for the time that requests of its key take on average, as
// otherwise one key would get all room that becomes free at once. A new key starts at the time that
// a server would have given to each unit of weight which serves all keys at once. A key that has
// used less than that is within its share: the next start is its own, and it is not refused.
//
// Where the rules come from:
// - CoDel (Nichols and Jacobson, "Controlling Queue Delay") and its use for requests (Maurer, "Fail
//   at Scale"): a queue is overloaded when its delay has not been short for an interval.
// - DAGOR (Zhou and others, "Overload Control for Scaling WeChat Microservices"): the time in the
//   queue is the sign of overload, and priorities decide.
// - Netflix's concurrency-limits: Little's law makes a number of requests of a bound on waiting.
//   Limits of concurrency do not suit a thread that runs one request at a time.
// - Envoy's admission control: refusals follow from a window of measurements.

const { heap, Ring, unlink, webidl } = require('../../internal.js');
const { FIRST, LONGEST_BOUND, Line, PART_OF_LAST, Pace, TIMES } = require('./line.js');

const { Heap } = heap;
const { PRIORITIES } = webidl;

const LEAST_IMPORTANT_FIRST = [...PRIORITIES].reverse();

// The grace in multiples of the bound: if the oldest request exceeds the bound for longer, the
// priority is overloaded. With Poisson arrivals at a load of 0.8, and a bound of 10 service times,
// one request in a thousand exceeds the bound for that long. Background requests wait until all
// others are served.
const GRACE = { 'user-blocking': 1, 'user-visible': 1, 'background': 5 };

// A request of a key within its share waits for so many times the bound at most: without an end, a
// wait that cannot end is a deadlock.
const SPARED = 2;

// The most keys whose mean thread time is kept while they have no requests.
const MOST_MEANS = 1000;

const isBefore = (a, b) => a.rank < b.rank || (a.rank === b.rank && a.order < b.order);

// The lines by the number of their requests, to find the longest.
class LinesBySize {
  // At each index, the lines with that number of requests plus 1. The last ring is not empty.
  #rings = [];

  // The size of a line has changed by one.
  move(line) {
    const { size } = line;
    if (line.next !== undefined) unlink(line);
    if (size > 0) (this.#rings[size - 1] ??= new Ring()).push(line);
    if (this.#rings.at(-1)?.isEmpty) this.#rings.pop();
  }

  get longest() {
    return this.#rings.at(-1)?.next;
  }
}

// The requests of one priority.
class Class {
  size = 0;
  pace = new Pace();
  isOverloaded = false;
  // The number of posted requests.
  posted = 0;
  #bound;
  #grace;
  #lines = new Map();
  #bySize = new LinesBySize();
  // The lines with a request that is not posted.
  #ready = new Heap(isBefore);
  #order = 0;
  // All waiting visits, the oldest first, and by the time at which one may be refused: entries
  // { visit, previous, next, place, rank, order }.
  #waiting = new Ring();
  #deadlines = new Heap(isBefore);
  // The time since which the oldest request at each moment has exceeded the bound.
  #lateSince;
  // The number of running requests, the mean time for which one runs, the weight of all lines, and
  // the time that a unit of weight would have got until #since.
  #running = 0;
  #duration = 0;
  // The mean thread time of a request, and those of keys without requests, the last used last.
  #mean = FIRST;
  #means = new Map();
  #countsProgress;
  #isLost;
  #adapts;
  #weights = 0;
  #used = 0;
  #since = 0;

  constructor(priority, { bound, adapts, countsProgress, isLost }) {
    this.#bound = bound;
    this.#adapts = adapts;
    this.#countsProgress = countsProgress;
    this.#isLost = isLost;
    this.#grace = GRACE[priority];
  }

  // The time for which a request of a key may wait.
  #boundOf({ typical }) {
    if (!this.#adapts) return this.#bound;
    return Math.max(this.#bound, Math.min(LONGEST_BOUND, TIMES * typical));
  }

  get #oldest() {
    return this.size === 0 ? undefined : this.#waiting.next.visit;
  }

  get longest() {
    return this.#bySize.longest;
  }

  get waiting() {
    return this.#waiting.list().map(({ visit }) => visit);
  }

  // The number of keys with waiting or running requests.
  get keys() {
    return this.#lines.size;
  }

  // The number of waiting requests of a key.
  sizeOf(key) {
    return this.#lines.get(key)?.size ?? 0;
  }

  add(visit, now) {
    if (this.size === 0) this.pace.mark = now;
    const line = this.#lineOf(visit, now);
    // A line with running requests stays behind as far as they have not used the thread.
    const saved = line.running > 0 && !this.#countsProgress ? this.#bound : 0;
    if (line.size === 0) line.catchUp(this.#used - saved, now);
    line.add(visit, now);
    const rank = now + this.#boundOf(line);
    const order = this.#order++;
    const entry = { visit, previous: undefined, next: undefined, place: -1, rank, order };
    this.#waiting.push(entry);
    this.#deadlines.push(entry);
    visit.entry = entry;
    this.size++;
    this.#bySize.move(line);
    this.#offer(line, now);
  }

  #lineOf({ key, weight }, now) {
    this.#advance(now);
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = new Line(key, this.#used, now, this.#countsProgress);
      Object.assign(line, this.#means.get(key));
      this.#lines.set(key, line);
      this.#weights += line.weight;
    }
    if (weight !== undefined && weight !== line.weight) {
      this.#weights += weight - line.weight;
      line.setWeight(weight, now);
    }
    return line;
  }

  // Counts the time that each unit of weight would have got.
  #advance(now) {
    if (this.#countsProgress && this.#weights > 0) {
      this.#used += (this.#running / this.#weights) * (now - this.#since);
    }
    this.#since = now;
  }

  // The oldest request of a line that is not posted may be the next.
  #offer(line, now) {
    if (line.size === line.posted || line.place >= 0) return;
    line.rank = line.usedAfter(this.#timeOf(line), now);
    line.order = this.#order++;
    this.#ready.push(line);
  }

  // The time that a request of a line takes on average.
  #timeOf(line) {
    return this.#countsProgress ? this.#duration : line.mean ?? this.#mean;
  }

  get hasNext() {
    return this.#ready.first !== undefined;
  }

  // Returns the next visit, which is posted.
  next(now) {
    const line = this.#nextLine(now);
    this.#ready.remove(line);
    const visit = line.unposted;
    visit.isPosted = true;
    line.posted++;
    this.posted++;
    this.#offer(line, now);
    return visit;
  }

  // Whether no key that has used less has a request that is not posted, as one may have arrived
  // since the visit was posted.
  isNext({ line }, now) {
    if (!this.hasNext) return true;
    // Not its share less that of the visit: rounded, it would exceed the rank of an equal line, and
    // none of them would ever start.
    const used = line.usedAfter(this.#timeOf(line), now, line.posted - 1);
    return used <= this.#nextLine(now).rank;
  }

  // Ranks grow while requests run, so the rank of the first line may be too low.
  #nextLine(now) {
    for (;;) {
      const { first } = this.#ready;
      const rank = first.usedAfter(this.#timeOf(first), now);
      if (rank <= first.rank) return first;
      this.#ready.remove(first);
      first.rank = rank;
      this.#ready.push(first);
    }
  }

  // A posted visit must wait again.
  waitAgain(visit, now) {
    this.#unpost(visit);
    this.#offer(visit.line, now);
  }

  #unpost(visit) {
    visit.isPosted = false;
    visit.line.posted--;
    this.posted--;
  }

  remove(visit, now) {
    const { line } = visit;
    if (visit.isPosted) this.#unpost(visit);
    line.remove(visit);
    unlink(visit.entry);
    this.#deadlines.remove(visit.entry);
    visit.entry = undefined;
    this.size--;
    this.#bySize.move(line);
    if (line.size === line.posted && line.place >= 0) this.#ready.remove(line);
    this.#offer(line, now);
    this.#end(line, now);
  }

  // Removes a line without requests.
  #end(line, now) {
    if (line.size > 0 || line.running > 0) return;
    this.#advance(now);
    this.#lines.delete(line.key);
    this.#weights = this.#lines.size === 0 ? 0 : this.#weights - line.weight;
    const { mean, square, duration } = line;
    this.#means.delete(line.key);
    if (mean === undefined) return;
    this.#means.set(line.key, { mean, square, duration });
    if (this.#means.size > MOST_MEANS) this.#means.delete(this.#means.keys().next().value);
  }

  // Starts a visit, unless it has waited too long.
  start(visit, now) {
    this.update(now);
    const { line } = visit;
    if (this.isTooLate(visit, now)) {
      this.remove(visit, now);
      return 'wait';
    }
    this.pace.note(now);
    line.pace.note(now);
    visit.startedAt = now;
    visit.startedIn = line;
    this.#run(line, 1, now);
    line.expect(visit, this.#mean);
    this.remove(visit, now);
    // All waiting requests were served in time.
    if (this.size === 0 && now - visit.arrivedAt <= this.#boundOf(line)) this.isOverloaded = false;
    this.update(now);
    return undefined;
  }

  // A started visit does not use the share of its key any more.
  settle(visit, now) {
    const { startedIn: line, startedAt, used, isAborted } = visit;
    this.#duration += (now - startedAt - this.#duration) * PART_OF_LAST;
    line.forget(visit);
    // One whose client has left may have used less than it takes.
    if (!isAborted || used > (line.mean ?? this.#mean)) {
      this.#mean += (used - this.#mean) * PART_OF_LAST;
      line.learn(used, now - startedAt);
    }
    this.#run(line, -1, now);
    if (line.place >= 0) this.#ready.remove(line);
    this.#offer(line, now);
    this.#end(line, now);
  }

  // A started visit has used the thread for so many ms.
  charge(visit, time) {
    visit.startedIn.charge(visit, time);
    if (!this.#countsProgress && this.#weights > 0) this.#used += time / this.#weights;
  }

  #run(line, change, now) {
    this.#advance(now);
    this.#running += change;
    line.run(change, now);
  }

  isTooLate(visit, now) {
    return this.isOverloaded && now > this.#limitOf(visit);
  }

  // The time until which a visit may wait.
  #limitOf({ arrivedAt, line }) {
    return arrivedAt + this.#boundOf(line) * (this.#exceeds(line) ? 1 : SPARED);
  }

  // Whether a key has used more than its share, or what it has used is not known.
  #exceeds({ used }) {
    if (this.#countsProgress || this.#lines.size === 1 || this.#isLost()) return true;
    return used > this.#used;
  }

  // Whether a key has used more than its share, as others have not.
  isBeyondShare(key) {
    const line = this.#lines.get(key);
    if (line === undefined || this.#lines.size === 1 || this.#isLost()) return false;
    return this.#exceeds(line);
  }

  // Whether a request of a key that arrives now would wait too long. One request of each key may
  // always wait: it shows when the overload has ended.
  wouldBeTooLate(key, now) {
    if (!this.isOverloaded) return false;
    const line = this.#lines.get(key);
    if (line === undefined || line.size === 0 || !this.#exceeds(line)) return false;
    const sinceStart = now - line.pace.mark;
    // Before the first start, only the time since the oldest request arrived is known.
    const pace = Math.max(line.pace.mean ?? this.pace.mean ?? 0, sinceStart);
    return (line.size + 1) * pace - sinceStart > this.#boundOf(line);
  }

  // Checks whether the oldest request has waited too long.
  update(now) {
    const oldest = this.#oldest;
    const bound = oldest === undefined ? Infinity : this.#boundOf(oldest.line);
    if (!(now - oldest?.arrivedAt > bound)) {
      this.#lateSince = undefined;
      return;
    }
    this.#lateSince ??= oldest.arrivedAt + bound;
    if (now - this.#lateSince > this.#grace * bound) this.isOverloaded = true;
  }

  // A request that has waited too long.
  late(now) {
    this.update(now);
    if (!this.isOverloaded) return undefined;
    for (;;) {
      const { first } = this.#deadlines;
      if (first === undefined || now <= first.rank) return undefined;
      const limit = this.#limitOf(first.visit);
      if (now > limit) return first.visit;
      first.rank = limit;
      this.#deadlines.update(first);
    }
  }

  // The time when the oldest request may have waited too long.
  get deadline() {
    if (this.size === 0) return Infinity;
    if (this.isOverloaded) return this.#deadlines.first.rank;
    const { arrivedAt, line } = this.#oldest;
    const bound = this.#boundOf(line);
    return (this.#lateSince ?? arrivedAt + bound) + this.#grace * bound;
  }
}

// The queues of all priorities.
class Lines {
  #classes;
  #maxQueued;
  #refuse;

  // Calls `refuse(visit, reason)` for each waiting visit that is refused. `isLost()` says whether
  // the thread time of keys is unknown.
  constructor({ refuseAfter, adapting, maxQueued, maxRunning }, refuse, isLost) {
    const countsProgress = maxRunning < Infinity;
    this.#classes = Object.fromEntries(PRIORITIES.map((priority) => {
      const bounds = { bound: refuseAfter[priority], adapts: adapting[priority] };
      return [priority, new Class(priority, { ...bounds, countsProgress, isLost })];
    }));
    this.#maxQueued = maxQueued;
    this.#refuse = refuse;
  }

  get size() {
    return PRIORITIES.reduce((sum, priority) => sum + this.#classes[priority].size, 0);
  }

  // The highest priority of which a request waits; undefined if none does.
  get first() {
    return PRIORITIES.find((priority) => this.#classes[priority].size > 0);
  }

  // Whether more than one key of a priority has requests, while these wait too long.
  get isContended() {
    return PRIORITIES.some((each) => {
      const { isOverloaded, keys } = this.#classes[each];
      return isOverloaded && keys > 1;
    });
  }

  of(priority) {
    return this.#classes[priority];
  }

  // Adds a visit that arrives, unless it is refused.
  arrive(visit, now) {
    this.refuseLate(now);
    const own = this.#classes[visit.priority];
    if (own.wouldBeTooLate(visit.key, now)) return 'wait';
    if (this.size >= this.#maxQueued && !this.#makeRoom(own, visit.key, now)) return 'queue';
    own.add(visit, now);
    return undefined;
  }

  // Refuses the newest request of the longest queue: of the lowest priority below this one that has
  // queued requests. If there is none, of the same priority, unless no queue is longer than that of
  // the key. Returns whether a request was refused.
  #makeRoom(own, key, now) {
    for (const priority of LEAST_IMPORTANT_FIRST) {
      const least = this.#classes[priority];
      const { longest } = least;
      const isLast = least === own;
      if (isLast && !(longest?.size > own.sizeOf(key) + 1)) return false;
      if (longest === undefined) continue;
      this.#refuseOne(longest.newest, 'queue', now);
      return true;
    }
    return false;
  }

  #refuseOne(visit, reason, now) {
    this.#classes[visit.priority].remove(visit, now);
    this.#refuse(visit, reason);
  }

  // Refuses requests that have waited too long, the lowest priority first.
  refuseLate(now) {
    for (const priority of LEAST_IMPORTANT_FIRST) {
      const each = this.#classes[priority];
      if (now < each.deadline) continue;
      for (let late; (late = each.late(now)) !== undefined;) this.#refuseOne(late, 'wait', now);
    }
  }

  // Refuses visits for which `isRefused(visit)` is true. A refusal may end other visits.
  refuseAll(reason, now, isRefused) {
    for (const priority of LEAST_IMPORTANT_FIRST) {
      for (const visit of this.#classes[priority].waiting) {
        if (visit.line === undefined || !isRefused(visit)) continue;
        this.#refuseOne(visit, reason, now);
      }
    }
  }

  // The latest time for the next call of refuseLate().
  get deadline() {
    return Math.min(...PRIORITIES.map((priority) => this.#classes[priority].deadline));
  }
}

module.exports = { Lines };
