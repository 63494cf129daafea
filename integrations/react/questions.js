'use strict';

// Finds out whether renders go on. A gate is asked: its promise resolves, React comes back to the
// gate, and subscribes to it again. React never comes back for a render that is over, so the gates
// of such a render are dropped, at the cost of one question.
//
// React comes back in an immediate. Its builds for other platforms come back in a timer or a
// message; Next.js uses such a build for its pages router.
//
// There is no other sign that a render is over. Weak references do not help: a gate can be the only
// reference to a render, as in a prerender, or if a page is sent once it is complete.

const { clearImmediate, clearTimeout, setImmediate, setTimeout } = require('node:timers');
const { platform } = require('../internal.js');
const { countGroups, listGroups } = require('./lanes.js');

const { nextTick, Promise, queueMicrotask } = platform;

// A set of gates that are asked together.
class Question {
  // Whether React has come late, and no opening has waited in vain since then.
  static isLateExpected = false;

  // Whether React has not come in its immediate.
  isLate = false;
  // Whether a gate that React comes back to would open.
  opens = false;
  gates;
  // Called with whether React has not reached all of the gates.
  #onEnd;
  #hasAnswer = false;
  #areMicrotasksOver = false;
  #immediates = 0;
  #timer;
  #immediate;

  constructor(gates, onEnd) {
    this.gates = gates;
    this.#onEnd = onEnd;
  }

  ask() {
    for (const gate of this.gates) gate.ask(this);
    this.awaitImmediate();
  }

  // A question reaches React in microtasks, and React calls setImmediate in one of them. A tick
  // that is queued in a microtask runs when there are no more microtasks.
  awaitImmediate() {
    this.#immediates++;
    queueMicrotask(() => nextTick(() => {
      this.#areMicrotasksOver = true;
      setImmediate(this.#onImmediate);
    }));
  }

  // React has reached one of the gates. Returns whether that gate opens.
  answer() {
    this.#hasAnswer = true;
    return false;
  }

  // React reaches the gates of a new render in a microtask, before it comes back to older ones.
  isTooEarlyFor(gate) {
    return !this.#areMicrotasksOver && gate !== this.gates[0];
  }

  // React has not come back in time.
  giveUp() {
    this.end();
  }

  end() {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    const silent = this.gates.filter((gate) => gate.question === this);
    const groups = new Set(silent.map(({ group }) => group));
    for (const gate of silent) gate.forget(this.opens);
    suspect([...groups]);
    this.#onEnd(silent.length > 0);
  }

  #onImmediate = () => {
    if (--this.#immediates > 0 || this.isLate) return;
    if (this.#hasAnswer || this.gates.length === 0 || !Question.isLateExpected) {
      this.end();
    } else {
      this.isLate = true;
      this.#timer = setTimeout(this.#onTimer, 0);
    }
  };

  // A message to React arrives between timers and immediates.
  #onTimer = () => {
    this.#immediate = setImmediate(() => this.giveUp());
  };
}

const isNotAsked = ({ group, question }) => group !== undefined && question === undefined;

// Asks all gates of the groups in which React has not reached a gate.
function suspect(groups) {
  const suspects = groups.filter(({ gates, isSuspect }) => gates.size > 0 && !isSuspect);
  if (suspects.length === 0) return;
  for (const group of suspects) group.suspect(true);
  const gates = suspects.flatMap((group) => [...group.gates].filter(isNotAsked));
  new Question(gates, () => {
    for (const group of suspects) group.suspect(false);
  }).ask();
}

// The number of waiting groups at which all are asked. Openings are not enough: work of a higher
// priority can delay that of a gate without bound.
let limit;
const LEAST_LIMIT = 16;

// The number of groups that are asked at a time.
const STEP = 64;

let isAskingAll = false;

// Called when a gate has begun to wait.
function askAllIfMany() {
  if (isAskingAll || countGroups() <= limit) return;
  isAskingAll = true;
  setImmediate(askAll);
}

async function askAll() {
  const gates = listGroups().flatMap((group) => group.take(1));
  while (gates.length > 0) {
    // During the steps before, gates may have stopped waiting.
    const some = gates.splice(0, STEP).filter(isNotAsked);
    await new Promise((resolve) => new Question(some, resolve).ask());
  }
  setLimit();
  isAskingAll = false;
}

// Twice the number of groups, so that the cost per gate is bounded for any number of gates.
function setLimit() {
  limit = Math.max(LEAST_LIMIT, 2 * countGroups());
}

setLimit();

module.exports = { Question, askAllIfMany };
