'use strict';

// The limit on the requests that have begun: the thread time in ms that they are expected to use.
// It grows by the mean of its key when a request starts, and by what the request uses beyond that.
// It drains with the time that the thread had for the requests: nothing is saved up. Each priority
// has a fill, which counts its requests and those of higher priorities.
//
// So no more requests begin than the thread finishes. Those that wait can be refused, and a more
// important one that arrives goes before them; what a request computes behind an `await` runs in
// the order of the loop. Where requests wait for something else than the thread, they are expected
// to use little of it, and begin at once. All time is that of the wall clock, so the limit also
// holds where other processes take a part of the processor.
//
// In simulations of 60 kinds of load (behind queries of 0 to 200 ms, in pieces, streams, beside
// other processes), limits by measured delays, by a constant number of requests or of expected
// time, by gradients, and after BBR were all worse. Not better were a fill of its own for work in
// pieces, fills that do not drain while requests of lower priorities run, and time that is saved
// up while requests wait.

const { webidl } = require('../../internal.js');
const { AvailableTime } = require('./available-time.js');
const { FIRST } = require('./line.js');

const { PRIORITIES } = webidl;

// A request starts while its fill is not above this, nor above the mean time of a request. Those
// that start in one turn also end in one, and few others have begun by then: with 20 the thread
// idled for 7 % of an overload behind queries of 5 ms, and for 22 % behind 50 ms. With 40 the
// important requests waited for 96 ms (p99) in place of 60.
const DEPTH = 25;

// The part of the last request in the mean of all.
const PART_OF_LAST = 0.05;

class Limit {
  #fills = Object.fromEntries(PRIORITIES.map((priority) => [priority, 0]));
  #available = new AvailableTime();
  #mean = FIRST;

  #drain(time) {
    this.#add('user-blocking', -this.#available.take(time));
  }

  // Changes the fills of a priority and of all lower ones by a time in ms.
  #add(priority, change) {
    for (let i = PRIORITIES.indexOf(priority); i < PRIORITIES.length; i++) {
      const each = PRIORITIES[i];
      this.#fills[each] = Math.max(this.#fills[each] + change, 0);
    }
  }

  // A visit starts, which is expected to use `ahead` ms.
  started({ priority, ahead }, time) {
    this.#drain(time);
    this.#add(priority, ahead);
  }

  // A visit has used so many ms, and was expected to use `ahead` ms.
  used({ priority }, spent, ahead) {
    if (spent > ahead) this.#add(priority, spent - ahead);
  }

  // A visit has ended, which was expected to use `ahead` ms more. One whose client has left may
  // have used less than it takes.
  ended({ priority, ahead, used, isAborted }, time) {
    this.#drain(time);
    this.#add(priority, -ahead);
    if (!isAborted || used > this.#mean) this.#mean += (used - this.#mean) * PART_OF_LAST;
  }

  // How many requests of a priority may start, if there is room: about so many.
  roomFor(priority, time) {
    this.#drain(time);
    return 1 + Math.floor((this.#depth - this.#fills[priority]) / this.#mean);
  }

  // The time from which a request of a priority may start.
  next(priority) {
    return this.#available.at + this.#fills[priority] - this.#depth;
  }

  get #depth() {
    return Math.max(DEPTH, this.#mean);
  }
}

module.exports = { Limit };
