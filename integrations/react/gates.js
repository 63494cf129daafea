'use strict';

// Opens the gates of all renders, one after the other. The scheduler chooses the next one, as each
// gate posts a task, which opens it.
//
// React answers an open gate with an immediate that renders everything whose gate has opened until
// then. So a gate waits if its task starts before that immediate has run. When React has rendered,
// the first of those that wait is called: it goes on with a continuation, which comes before tasks
// of its priority.
//
// React's builds for other platforms answer with a timer or a message. Next.js has one of them for
// its pages router. As a timer takes a millisecond, a few gates are open at once there: so many
// that their sections took no longer than a slice of time when React last rendered some.
//
// A render that was aborted leaves gates behind that open for nobody. Where React has immediates,
// the next one opens a turn of the loop later. Where it is late, no one can tell before a timer has
// fired that follows React's. When that was in vain, the gates of the next few milliseconds are not
// waited for, unless React turns out to be late.

const { clearTimeout, setImmediate, setTimeout } = require('node:timers');
const api = require('../../index.js');
const { nextTick, now, queueMicrotask } = require('../../lib/loop/intrinsics.js');
const { PRIORITIES } = require('./props.js');

const { scheduler } = api;

// How long sections may hold the thread that React renders in one go, in ms, and how many there may
// be: those of the next page may take longer.
const SLICE = 5;
const MOST_AT_ONCE = 4;

// For how many ms no other timer is waited for when one was in vain.
const IMPATIENCE = 10;

// The gates that have opened, until React has rendered what is behind them.
const underWay = new Set();

// How many immediates of React that takes.
let immediates = 0;

// Set while React is late: it has not rendered in its immediate, if it has one.
let lateness;

// Until when it is given no time then, in ms.
let impatientUntil = 0;

// When React began to render what is behind late gates, and how many gates may be open at once: one
// unless it was late the last time.
let begin;
let room = 1;

// The gates whose task has started meanwhile wait in lines, one for each signal and priority, so
// that all gates of a line have one priority at any time. There are far fewer lines than gates, and
// one listener for each: Node warns of more than ten on a signal.
const lines = new Set();

let order = 0;

class Line {
  gates = [];
  #options;

  constructor(options) {
    this.#options = options;
    const { signal } = options;
    signal?.addEventListener('abort', this.#onAbort);
    signal?.addEventListener('prioritychange', callNext);
    lines.add(this);
  }

  isFor({ priority, signal }) {
    return this.#options.signal === signal && this.#options.priority === priority;
  }

  // The place of its priority in PRIORITIES.
  get rank() {
    const { priority, signal } = this.#options;
    return PRIORITIES.indexOf(priority ?? signal.priority);
  }

  remove(gate) {
    this.gates.splice(this.gates.indexOf(gate), 1);
    if (this.gates.length > 0) return;
    lines.delete(this);
    const { signal } = this.#options;
    // A polyfill may lack the method, or throw: the listeners then stay, harmlessly.
    try {
      signal?.removeEventListener('abort', this.#onAbort);
      signal?.removeEventListener('prioritychange', callNext);
    } catch {
      // See above.
    }
  }

  #onAbort = () => {
    for (const gate of this.gates) gate.call();
  };
}

class Gate {
  // Fulfilled when the gate opens; rejected if its signal is aborted before.
  promise;
  // Its place by age among the gates that wait.
  order;
  #line;
  #open;
  #fail;
  // The scheduler's options: a priority, unless that of a TaskSignal counts.
  #options;
  #isCalled = false;
  // Whether React renders what is behind it, now or, as far as can be told, in the immediate that
  // comes.
  isRead = false;
  // Called when React has rendered what was behind it, if it has.
  onRendered;

  constructor(options, onRendered) {
    this.#options = options;
    this.onRendered = onRendered;
    this.promise = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#fail = reject;
    });
    scheduler.postTask(this.#arrive, this.#options).catch(this.#reject);
  }

  // Puts the gate among what the scheduler chooses from. Rejects it if its signal is aborted.
  call() {
    if (this.#isCalled) return;
    this.#isCalled = true;
    scheduler.yield(this.#options).then(this.#arrive).catch(this.#reject);
  }

  // React renders what is behind it.
  read() {
    if (this.isRead) return;
    this.isRead = true;
    if (!underWay.has(this)) impatientUntil = 0;
    if (lateness === undefined || begin !== undefined) return;
    begin = now();
    nextTick(finishLate);
  }

  #arrive = () => {
    this.#isCalled = false;
    if (!hasRoom()) {
      this.#wait();
      return;
    }
    this.#leave();
    underWay.add(this);
    this.#open();
    if (lateness === undefined) awaitReactsImmediate();
    callNext();
  };

  #reject = (error) => {
    this.#leave();
    this.#fail(error);
    callNext();
  };

  // It keeps its place if it has waited before.
  #wait() {
    if (this.#line !== undefined) return;
    this.order = order++;
    this.#line = lineFor(this.#options);
    this.#line.gates.push(this);
  }

  #leave() {
    this.#line?.remove(this);
    this.#line = undefined;
  }
}

function lineFor(options) {
  for (const line of lines) if (line.isFor(options)) return line;
  return new Line(options);
}

const hasRoom = () => underWay.size < room;

// Calls the oldest of the highest priority. When a priority changes, too: what was called before
// may be held back now, as its priority was lowered or others were raised above it.
function callNext() {
  if (!hasRoom()) return;
  let next;
  let best = PRIORITIES.length;
  for (const line of lines) {
    const { rank } = line;
    const [first] = line.gates;
    if (rank > best || (rank === best && first.order > next.order)) continue;
    next = first;
    best = rank;
  }
  next?.call();
}

function rendered() {
  if (--immediates > 0 || lateness !== undefined) return;
  if (!haveAllBeenRead() && now() > impatientUntil) {
    lateness = setTimeout(giveUp, 0);
  } else {
    room = 1;
    finish(underWay);
  }
  callNext();
}

function haveAllBeenRead() {
  for (const gate of underWay) if (!gate.isRead) return false;
  return true;
}

function giveUp() {
  if (!haveAllBeenRead()) impatientUntil = now() + IMPATIENCE;
  lateness = undefined;
  finish(underWay);
  callNext();
}

// React has rendered what had opened. What has opened since then comes in another timer of React.
function finishLate() {
  const gates = [...underWay].filter((gate) => gate.isRead);
  const each = (now() - begin) / gates.length;
  room = Math.max(1, Math.min(Math.floor(SLICE / each), MOST_AT_ONCE));
  begin = undefined;
  clearTimeout(lateness);
  finish(gates);
  lateness = underWay.size > 0 ? setTimeout(giveUp, 0) : undefined;
  callNext();
}

function finish(gates) {
  for (const gate of gates) {
    underWay.delete(gate);
    gate.onRendered();
  }
}

// React hears of the open gate in microtasks, and calls setImmediate in one of them. A tick that is
// queued in a microtask runs when there are no more microtasks.
function awaitReactsImmediate() {
  immediates++;
  queueMicrotask(() => nextTick(setImmediate, rendered));
}

module.exports = {
  Gate,
  awaitReactsImmediate,
  isUnderWay: (gate) => underWay.has(gate),
};
