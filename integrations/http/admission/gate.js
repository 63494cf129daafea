'use strict';

// After a request blocks the thread, pauses the queue, and all tasks below user-blocking, until the
// connections that arrived meanwhile are accepted: the next request is then chosen among all, and
// refusals are sent early. If started pages ran meanwhile, the pause would last for a slice of each
// of them, and the requests that it waits for would wait longer than without it. Without
// this gate, a server that renders pages accepts one connection per page, as libuv accepts one in
// each turn of the loop; visitors with new connections then leave before the server has seen them.

const { setImmediate } = require('node:timers');

const api = require('../../../index.js');
const { now } = require('../../../lib/loop/platform.js');

const { pauseFor } = api[Symbol.for('uv-scheduler.requests')];

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
  #arrivals = 0;
  // The time when a request arrived last, or the gate opened last. Since then the thread may have
  // been blocked by code behind an `await`.
  seenAt = 0;
  #isClosed = false;
  #until = 0;
  #opened;

  constructor(opened) {
    this.#opened = opened;
  }

  arrive(time) {
    this.#arrivals++;
    this.seenAt = time;
  }

  isOpen() {
    return !this.#isClosed;
  }

  // A request has blocked the thread for `blocked` milliseconds, or may have.
  close(time, blocked) {
    if (blocked < SHORT) return;
    const pause = Math.min(blocked * PART, LONGEST);
    this.#until = time + pause;
    pauseFor(pause);
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The first immediate runs before the loop polls for I/O.
    setImmediate(() => this.#turn(this.#arrivals, 0));
  }

  #turn(seen, quiet) {
    setImmediate(() => {
      const turns = this.#arrivals === seen ? quiet + 1 : 0;
      const time = now();
      if (turns < QUIET_TURNS && time < this.#until) this.#turn(this.#arrivals, turns);
      else this.#open(time);
    });
  }

  #open(time) {
    this.#isClosed = false;
    this.seenAt = time;
    pauseFor(0);
    this.#opened();
  }
}

module.exports = { TurnGate };
