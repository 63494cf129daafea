'use strict';

// The limit on the requests that have begun: the thread time in ms that they are expected to use.
// It grows by the mean of its key when a request starts, and by what the request uses beyond that.
// It drains with the time that the thread had for the requests: nothing is saved up. One level for
// each priority counts requests of this priority and of higher ones, and does not drain while those
// of lower ones run.
//
// So no more requests begin than the thread finishes. Those that wait can be refused, and a more
// important one that arrives goes before them; what a request computes behind an `await` runs in
// the order of the loop. Where requests wait for something else than the thread, they are expected
// to use little of it, and begin at once. All time is that of the wall clock, so the limit also
// holds where other processes take a part of the processor.
//
// In a simulation of 60 kinds of load (behind queries of 0 to 200 ms, in pieces, streams, beside
// other processes), limits by measured delays, by a constant number of requests or of expected
// time, by gradients, and after BBR were all worse. A depth of 10 to 40 ms gave the same results
// within a tenth, and a depth of its own for work in pieces gave no better ones.

const { time, webidl } = require('../../internal.js');

const { activeTime, now } = time;
const { PRIORITIES } = webidl;

// A request starts while its level is not above this, nor above the mean time of a request.
const DEPTH = 20;

// The part of the last request in the mean of all.
const PART_OF_LAST = 0.05;

const zeros = () => Object.fromEntries(PRIORITIES.map((priority) => [priority, 0]));

class Limit {
  #levels = zeros();
  // The time that requests have used, by priority since the last drain, and in all.
  #used = zeros();
  #usedInAll = 0;
  #at = now();
  // The time for which the thread was active for others than these requests.
  #others = activeTime();
  #mean = 0;

  #drain(time) {
    const others = activeTime() - this.#usedInAll;
    const available = time - this.#at - (others - this.#others);
    this.#at = time;
    this.#others = others;
    let lower = PRIORITIES.reduce((sum, priority) => sum + this.#used[priority], 0);
    for (const priority of PRIORITIES) {
      lower -= this.#used[priority];
      const level = this.#levels[priority] - Math.max(available - lower, 0);
      this.#levels[priority] = Math.max(level, 0);
      this.#used[priority] = 0;
    }
  }

  // The expected time of a request changes by so many ms.
  #add(priority, change) {
    for (const each of PRIORITIES.slice(PRIORITIES.indexOf(priority))) {
      this.#levels[each] = Math.max(this.#levels[each] + change, 0);
    }
  }

  // A visit starts, which is expected to use `ahead` ms.
  started({ priority, ahead }, time) {
    this.#drain(time);
    this.#add(priority, ahead);
  }

  // A visit has used so many ms, and was expected to use `ahead` ms.
  used({ priority }, spent, ahead) {
    this.#used[priority] += spent;
    this.#usedInAll += spent;
    if (spent > ahead) this.#add(priority, spent - ahead);
  }

  // A visit has ended, which was expected to use `ahead` ms more.
  ended({ priority, ahead, used }, time) {
    this.#drain(time);
    this.#add(priority, -ahead);
    this.#mean += (used - this.#mean) * PART_OF_LAST;
  }

  // The number of requests of a priority that may start.
  roomFor(priority, time) {
    this.#drain(time);
    const left = this.#depth - this.#levels[priority];
    return left < 0 ? 0 : 1 + Math.floor(left / this.#mean);
  }

  // The time from which a request of a priority may start.
  next(priority) {
    return this.#at + this.#levels[priority] - this.#depth;
  }

  get #depth() {
    return Math.max(DEPTH, this.#mean);
  }
}

module.exports = { Limit };
