'use strict';

// Keeps requests from their turns after one that blocked the thread, until those who came meanwhile
// have been seen: who is served next is chosen among all, and refusals leave at once. Without it,
// a server that renders pages accepts one connection for each, as libuv accepts one in each turn of
// the loop; visitors with new connections then leave before anybody knows of them.

const { setImmediate } = require('node:timers');

const { now } = require('../../../lib/loop/intrinsics.js');

// What blocks the thread for less, in ms, lets the loop turn often enough.
const SHORT = 1;

// The gate stays closed for this part of the time that the thread was blocked, and no longer than
// so many ms: a flood of connections must not stop the server.
const PART = 0.25;
const LONGEST = 4;

// A connection is accepted in one turn of the loop and read in the next.
const QUIET_TURNS = 2;

class TurnGate {
  // How many requests have arrived.
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

  // A request has blocked the thread for so many milliseconds.
  close(time, blocked) {
    if (blocked < SHORT) return;
    this.#until = time + Math.min(blocked * PART, LONGEST);
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The first immediate comes before the loop has looked for I/O.
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
