'use strict';

// After a request blocks the thread, pauses the queue until the connections that arrived meanwhile
// are accepted: the next request is then chosen among all, and refusals are sent early. Without
// this gate, a server that renders pages accepts one connection per page, as libuv accepts one in
// each turn of the loop; visitors with new connections then leave before the server has seen them.

const { setImmediate } = require('node:timers');

const { now } = require('../../../lib/loop/platform.js');

// If a request blocks the thread for less than this, in ms, the loop turns often enough.
const SHORT = 1;

// The gate stays closed for this part of the time that the thread was blocked, at most for LONGEST
// ms: a flood of connections must not stop the server.
const PART = 0.25;
const LONGEST = 4;

// A connection is accepted in one turn of the loop and read in the next.
const QUIET_TURNS = 2;

class TurnGate {
  // The number of requests that have arrived.
  arrivals = 0;
  #isClosed = false;
  #until = 0;
  #opened;

  constructor(opened) {
    this.#opened = opened;
  }

  isOpen() {
    return !this.#isClosed;
  }

  // A request has blocked the thread for `blocked` milliseconds.
  close(time, blocked) {
    if (blocked < SHORT) return;
    this.#until = time + Math.min(blocked * PART, LONGEST);
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The first immediate runs before the loop polls for I/O.
    setImmediate(() => this.#turn(this.arrivals, 0));
  }

  #turn(seen, quiet) {
    setImmediate(() => {
      const turns = this.arrivals === seen ? quiet + 1 : 0;
      if (turns < QUIET_TURNS && now() < this.#until) this.#turn(this.arrivals, turns);
      else this.#open();
    });
  }

  #open() {
    this.#isClosed = false;
    this.#opened();
  }
}

module.exports = { TurnGate };
