'use strict';

// After a request blocks the thread, pauses the queue, and all tasks below user-blocking, until the
// connections that arrived meanwhile are accepted: the next request is then chosen among all, and
// refusals are sent early. If started pages ran meanwhile, the pause would last for a slice of each
// of them, and the requests that it waits for would wait longer than without it. Without
// this pause, a server that renders pages accepts one connection per page, as libuv accepts one in
// each turn of the loop; visitors with new connections then leave before the server has seen them.
// The kernel may hold more connections if the last turn has accepted one. After the end of a
// response a pause begins only then: if callbacks behind an `await` take long, each turn of the
// pause does, and the requests that it delays would begin together, and go on in one even longer
// turn.

const { pauseFor, time } = require('../../internal.js');
const { countAccepted } = require('../connections.js');

const { now, setTurn } = time;

// If a request blocks the thread for less than this, in ms, the loop turns often enough.
const SHORT = 1;

// A pause lasts for this part of the time that the thread was blocked, at most for LONGEST ms: a
// flood of connections must not stop the server.
const PART = 0.25;
const LONGEST = 4;

class ArrivalPause {
  // The number of requests that have arrived.
  #arrivals = 0;
  // The time when a request arrived last, or the pause ended last. Since then the thread may have
  // been blocked by code behind an `await`.
  seenAt = 0;
  #isUnderWay = false;
  #until = 0;
  // The number of accepted connections at the last look.
  #accepted = 0;
  #over;

  constructor(over) {
    this.#over = over;
  }

  arrive(time) {
    this.#arrivals++;
    this.seenAt = time;
  }

  get isUnderWay() {
    return this.#isUnderWay;
  }

  // The response of a request has ended. The request may have blocked the thread since `seenAt`.
  ended(time) {
    if (!this.#isUnderWay && this.#hasAccepted()) this.begin(time, time - this.seenAt);
  }

  // A request has blocked the thread for `blocked` milliseconds, or may have.
  begin(time, blocked) {
    if (blocked < SHORT) return;
    const pause = Math.min(blocked * PART, LONGEST);
    this.#until = time + pause;
    pauseFor(pause);
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    // The first immediate runs before the loop polls for I/O.
    setTurn(() => {
      this.#hasAccepted();
      this.#turn();
    });
  }

  // A connection is accepted in one turn of the loop and read in the next.
  #turn() {
    setTurn(() => {
      const time = now();
      if (this.#hasAccepted() && time < this.#until) this.#turn();
      else this.#end(time);
    });
  }

  // Whether connections were accepted since the last look. Where the host announces none, as Bun
  // and Deno, each request counts.
  #hasAccepted() {
    const accepted = countAccepted() ?? this.#arrivals;
    const hasAccepted = accepted !== this.#accepted;
    this.#accepted = accepted;
    return hasAccepted;
  }

  #end(time) {
    this.#isUnderWay = false;
    this.seenAt = time;
    pauseFor(0);
    this.#over();
  }
}

module.exports = { ArrivalPause };
