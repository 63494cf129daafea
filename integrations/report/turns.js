'use strict';

// Follows the turns of the event loop: since when the program listens, which request a callback
// belongs to, and what came late because of a slow one. A listener of the watch of the thread; see
// lib/watch/watch.js. Times are in nanoseconds.
//
// A turn here is the time between two check phases: immediates and timers, then the poll phase,
// which waits for I/O if none is ready and calls the callbacks of what is ready. An interrupted
// wait counts in part as idle time. A turn without idle time has not waited.

const { AsyncLocalStorage } = require('node:async_hooks');
const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const { platform, time, undocumented } = require('../internal.js');

const { idleTime, NANOSECONDS_PER_MILLISECOND } = time;
const { hasOpenServer } = undocumented;

// A turn with less idle time has not waited in its poll phase.
const SHORT = 20_000;

// A task that has waited for less is not late.
const LATE = NANOSECONDS_PER_MILLISECOND;

// The maximum number of turns that are kept for reports, which a profile makes ten seconds later.
const MOST = 1000;

// How many turns are kept behind a long one. libuv accepts one connection in a turn, and reads its
// request in the next one.
const BEHIND = 20;

// How often to look whether the program listens.
const LOOK = 100 * NANOSECONDS_PER_MILLISECOND;

// A request that has come.
class Arrival {
  constructor(at, method, url) {
    this.at = at;
    this.method = method;
    this.url = url;
  }
}

class Turn {
  start;
  end = Infinity;
  idle = 0;
  // The times at which connections came, the requests, and pairs of the times at which a task was
  // queued and started.
  connections = [];
  requests = [];
  tasks = [];

  constructor(start) {
    this.start = start;
  }

  get isEmpty() {
    return this.connections.length + this.requests.length + this.tasks.length === 0;
  }
}

class Turns {
  // Undefined, as this listener does not call the callbacks of tasks.
  call = undefined;
  needsMessages = false;
  // When the program was first seen to listen; undefined before.
  listeningSince = undefined;
  #watch;
  #isLong;
  #onCaughtUp;
  #onExit;
  #turn;
  #idle = idleTime();
  // The long turns, and those behind each.
  #kept = [];
  #behind = 0;
  #lookedAt;
  // The request whose code runs, also behind an `await`. Before Node 24, each promise would take
  // time for it.
  #storage = platform.hooksSeePromises ? undefined : new AsyncLocalStorage();
  #channels = Object.entries({
    'net.server.socket': () => this.#turn.connections.push(this.#watch.now()),
    'http.server.request.start': ({ request: { method, url } }) => this.#arrived(method, url),
    // Node 20 has none for HTTP/2.
    'http2.server.stream.start': ({ headers }) => this.#arrived(headers[':method'],
      headers[':path']),
  });

  // `duration` is in milliseconds. `onCaughtUp()` is called when everything that waited has come,
  // and `onExit()` when the thread ends.
  constructor(watch, duration, { onCaughtUp, onExit }) {
    this.#watch = watch;
    this.#isLong = (busy) => busy > duration * NANOSECONDS_PER_MILLISECOND;
    this.#onCaughtUp = onCaughtUp;
    this.#onExit = onExit;
  }

  begin() {
    const now = this.#watch.now();
    this.#turn = new Turn(now);
    this.#lookedAt = now;
    for (const each of this.#channels) subscribe(...each);
    this.#watch.addListener(this);
  }

  #arrived(method, url = '/') {
    const arrival = new Arrival(this.#watch.now(), method, url);
    this.#turn.requests.push(arrival);
    this.#storage?.enterWith(arrival);
  }

  // Undefined if that is unknown.
  currentRequest() {
    return this.#storage?.getStore();
  }

  // The request that a callback has begun with, if any.
  requestIn(start, end) {
    const isIn = ({ at }) => at >= start && at < (start + end) / 2;
    const turn = [...this.#kept, this.#turn].findLast((each) => each.start < end);
    return turn?.requests.findLast(isIn);
  }

  stop() {
    for (const each of this.#channels) unsubscribe(...each);
    this.#watch.removeListener(this);
  }

  posted() {}

  settled() {}

  joined() {}

  joinsEnd() {}

  stepped({ message, queuedAt: queued, startedAt }) {
    const { origin } = this.#watch;
    const queuedAt = message === undefined
      ? queued
      : origin + message.queuedAt * NANOSECONDS_PER_MILLISECOND;
    if (queuedAt > 0 && startedAt - queuedAt > LATE) this.#turn.tasks.push([queuedAt, startedAt]);
  }

  turned(now) {
    const turn = this.#turn;
    const idle = now - turn.start > SHORT ? idleTime() : this.#idle;
    turn.end = now;
    turn.idle = idle - this.#idle;
    this.#idle = idle;
    const isLong = this.#isLong(now - turn.start - turn.idle);
    if (this.listeningSince === undefined) this.#look(turn, isLong);
    const isKept = isLong || this.#behind > 0;
    if (isKept) this.#kept.push(turn);
    if (this.#kept.length > MOST) this.#kept.splice(0, MOST / 2);
    // Most turns are short and empty.
    if (turn.isEmpty && !isKept) turn.start = now;
    else this.#turn = new Turn(now);
    this.#behind = isLong ? BEHIND : this.#behind - 1;
    // The loop has waited behind the callback, or no request can have waited for it. A turn that is
    // long may have waited before.
    const hasWaited = turn.idle >= SHORT && !isLong;
    if (hasWaited || this.listeningSince === undefined) this.#onCaughtUp();
  }

  // Without a server of its own, as in a worker of a cluster, a program listens when the first
  // connection comes.
  #look({ connections, end }, isLong) {
    if (connections.length === 0 && !isLong && end - this.#lookedAt < LOOK) return;
    this.#lookedAt = end;
    if (connections.length === 0 && !hasOpenServer()) return;
    this.listeningSince = Math.min(end, ...connections);
  }

  // How many connections, requests and tasks came late because of the callback in this period, and
  // which requests. Where its end is not known exactly, what came in the second half came behind
  // it.
  waitedFor(start, latest) {
    const end = (start + latest) / 2;
    const waited = { requests: 0, connections: 0, tasks: 0 };
    const late = [];
    const at = this.#kept.findLastIndex((turn) => turn.start < latest);
    for (const turn of this.#lateTurns(at, start)) {
      const isLate = (time) => time >= end;
      waited.connections += turn.connections.filter(isLate).length;
      late.push(...turn.requests.filter(({ at }) => isLate(at)));
      waited.tasks += turn.tasks.filter(([queuedAt, startedAt]) => {
        return queuedAt < latest && isLate(startedAt);
      }).length;
    }
    // The turns behind accept one connection each. Other requests have come since.
    const more = [];
    for (let i = at + 2; this.#isBusy(i) && this.#kept[i - 1].connections.length > 0; i++) {
      waited.connections += this.#kept[i].connections.length;
      more.push(...this.#kept[i].requests);
    }
    late.push(...more.slice(0, Math.max(0, waited.connections - late.length)));
    waited.requests = late.length;
    return { waited, late };
  }

  // The turn of a callback, if its poll phase came before the callback, and the next one, if it has
  // not waited for I/O.
  #lateTurns(at, start) {
    const turn = this.#kept[at];
    if (turn === undefined) return [];
    const isBehindPoll = turn.idle < SHORT || start - turn.start >= turn.idle - SHORT;
    const turns = isBehindPoll ? [turn] : [];
    return this.#isBusy(at + 1) ? [...turns, this.#kept[at + 1]] : turns;
  }

  // Whether a kept turn followed the one before it at once.
  #isBusy(at) {
    const turn = this.#kept[at];
    return turn !== undefined && turn.idle < SHORT && turn.start === this.#kept[at - 1]?.end;
  }

  exit() {
    this.turned(this.#watch.now());
    this.#onExit();
  }
}

module.exports = { Turns };
