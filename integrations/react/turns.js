'use strict';

// Gives the gates their turns, one after the other, in the scheduler's order. The gates of a
// request take turns like its tasks, and the render time is charged to the request.
//
// To give a turn, the gate is asked: its promise resolves, React comes back to the gate, and the
// gate opens. React never comes back for a render that is over. So the gates of such a render are
// dropped, at the cost of one question. If React comes back later nevertheless, the gate opens
// then, or waits again.
//
// React comes back in an immediate, and renders in it all sections whose gates are open. So one
// gate is open until that immediate has run. React's builds for other platforms come back in a
// timer or a message; Next.js uses such a build for its pages router. As a timer takes a
// millisecond, a few gates may open in one: as many as fit into one time slice.
//
// There is no other sign that a render is over. Weak references do not help: a gate can be the only
// reference to a render, as in a prerender, or if a page is sent once it is complete.

const { clearImmediate, clearTimeout, setImmediate, setTimeout } = require('node:timers');
const api = require('../../index.js');
const { Promise, nextTick, now, queueMicrotask } = require('../../lib/loop/platform.js');
const queues = require('./gate-queues.js');
const { PRIORITIES } = require('./props.js');

const { scheduler } = api;
const { chargeOutside, patientRequestOf, postInFlow, registerSections, sectionsLeft } =
  api[Symbol.for('uv-scheduler.requests')];

// If React is late: the time in ms for which sections that are rendered in one go may block the
// thread, and their maximum number.
const SLICE = 5;
const MOST_AT_ONCE = 16;

// The number of groups that are asked in a turn: more than one while renders turn out to be over.
// Groups whose renders continue must be asked again.
let width = 1;
const MOST_ASKED = 64;

// The current turn.
let turn;

// Whether React has come late, and no turn has waited in vain since then.
let isLateExpected = false;

const BACKGROUND = PRIORITIES.indexOf('background');

// By rank: the flows with a queued task or continuation that gives turns. Gates without a flow
// count as the flow undefined.
const queued = PRIORITIES.map(() => new Set());

const NOBODY = null;

// The gate whose section React renders, and the start time.
let rendered;
let renderedSince = 0;

// A set of gates that are asked together.
class Question {
  // Whether React has not come in its immediate.
  isLate = false;
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
    for (const gate of silent) gate.forget(this instanceof Turn);
    suspect([...groups]);
    this.#onEnd(silent.length > 0);
  }

  #onImmediate = () => {
    if (--this.#immediates > 0 || this.isLate) return;
    if (this.#hasAnswer || this.gates.length === 0 || !isLateExpected) {
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

// Asks the first gates of a rank, of which one opens; none if the rank is undefined.
class Turn extends Question {
  #rank;
  #opened = [];
  #begin;
  #isOutranked = false;

  constructor(rank, flow, onEnd) {
    const each = isLateExpected ? MOST_AT_ONCE : 1;
    super(rank === undefined ? [] : queues.oldest(rank, flow, width, each), onEnd);
    this.#rank = rank;
  }

  get isInVain() {
    return this.#opened.length === 0;
  }

  answer(gate) {
    super.answer();
    return !this.isTooEarlyFor(gate) && this.open(gate);
  }

  // Returns whether there is room for another section.
  open(gate) {
    if (!this.#hasRoom()) return false;
    this.#opened.push(gate);
    if (this.isLate && this.#begin === undefined) {
      this.#begin = now();
      nextTick(() => this.end());
    }
    return true;
  }

  // A gate of this rank waits. If the rank is higher, no further gate opens in this turn.
  compare(rank) {
    if (rank < this.#rank) this.#isOutranked = true;
  }

  giveUp() {
    isLateExpected = false;
    super.giveUp();
  }

  end() {
    for (const gate of this.#opened) gate.close();
    super.end();
  }

  #hasRoom() {
    if (this.#isOutranked) return false;
    const count = this.#opened.length;
    if (count === 0) return true;
    if (this.#begin === undefined || count === MOST_AT_ONCE) return false;
    return (now() - this.#begin) * (count + 1) <= SLICE * count;
  }
}

// Gives a turn to the gates of a rank, the gates of a flow first. The promise is fulfilled at the
// end of the turn.
function takeTurn(rank, flow) {
  return new Promise((resolve) => {
    turn = new Turn(rank, flow, (isOneSilent) => {
      if (!isOneSilent) width = Math.max(1, width >> 1);
      else if (turn.isInVain) width = Math.min(2 * width, MOST_ASKED);
      turn = undefined;
      resolve();
    });
    turn.ask();
  });
}

// Gives turns until no gate of the flow is next. Called when a task or continuation of the flow and
// of the rank has begun.
async function giveTurns(flow, rank) {
  for (let own = rank; ;) {
    queued[own].delete(flow);
    // The code that gave the current turn also requests the next one.
    if (turn !== undefined) return;
    const best = queues.bestRank();
    if (best <= own && queues.isFirst(best, flow)) await takeTurn(best, flow);
    own = queues.bestRank();
    if (own === undefined || !request(flow)) return;
    await scheduler.yield({ priority: PRIORITIES[own] });
  }
}

// Gives turns as background work. Called in a task of a priority that drain() runs: drain() refuses
// background tasks, but a started page must be completed.
async function giveInBackground(flow) {
  const priority = PRIORITIES[BACKGROUND];
  try {
    await postInFlow(() => {}, priority, undefined, flow);
  } catch {
    await scheduler.yield({ priority });
  }
  return giveTurns(flow, BACKGROUND);
}

// If gates wait, posts tasks that give turns: for the first flow of each key, as the scheduler
// orders the keys. Called between two turns. Returns whether the calling task, of the flow `asker`,
// continues itself.
function request(asker = NOBODY) {
  const rank = queues.bestRank();
  if (rank === undefined) return false;
  let goesOn = false;
  for (const flow of queues.firstFlows(rank)) {
    if (queued[rank].has(flow)) continue;
    queued[rank].add(flow);
    if (flow === asker) goesOn = true;
    else post(flow, rank);
  }
  return goesOn;
}

function post(flow, rank) {
  const isInBackground = rank === BACKGROUND;
  const give = isInBackground ? () => giveInBackground(flow) : () => giveTurns(flow, rank);
  const priority = isInBackground ? 'user-visible' : PRIORITIES[rank];
  postInFlow(give, priority, 'Scheduled', flow).catch((error) => fail(error, rank));
}

// drain() has rejected a task of this rank, and so all lower ranks.
function fail(error, rank) {
  for (const flows of queued) flows.clear();
  for (const gate of queues.all()) if (gate.group.queue.rank >= rank) gate.fail(error);
  if (turn === undefined) request();
}

// The number of waiting groups at which all are asked whether their renders are over. Turns are not
// enough: work of a higher priority can delay the turn of a gate without bound.
let limit;
const LEAST_LIMIT = 16;

// The number of groups that are asked at a time.
const STEP = 64;

let isAskingAll = false;

async function askAll() {
  const gates = queues.firsts();
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
  limit = Math.max(LEAST_LIMIT, 2 * queues.countGroups());
}

// Adds a waiting gate. Returns its group.
function add(gate) {
  const group = queues.add(gate);
  if (turn === undefined) request();
  else turn.compare(group.queue.rank);
  if (!isAskingAll && queues.countGroups() > limit) {
    isAskingAll = true;
    setImmediate(askAll);
  }
  return group;
}

// React has reached a gate that was dropped in a turn. Returns whether the gate opens.
function answerLate(gate) {
  isLateExpected = true;
  if (turn === undefined) {
    turn = new Turn(undefined, undefined, () => {
      turn = undefined;
      request();
    });
    turn.isLate = true;
  }
  return turn.open(gate);
}

// Extends the turn until React's next immediate.
function extendTurn() {
  turn.awaitImmediate();
}

// React has reached an open gate. Until the callback of the loop ends, or React reaches another
// gate, React renders the section of this gate.
function noteRendering(gate) {
  if (rendered === gate) return;
  const time = now();
  if (rendered === undefined) nextTick(endRendering);
  else charge(time);
  rendered = gate;
  renderedSince = time;
}

function endRendering() {
  charge(now());
  rendered = undefined;
}

function charge(time) {
  const { flow, priority, signal } = rendered.options;
  chargeOutside(flow, priority ?? signal.priority, time - renderedSince);
}

setLimit();
// Requests that wait for their first turn run after the sections of started pages.
registerSections((priority) => queues.bestRank() <= PRIORITIES.indexOf(priority));
queues.onLeft(sectionsLeft);
queues.onRequests(patientRequestOf);

queues.onPriorityChange(() => {
  sectionsLeft();
  if (turn === undefined) request();
  else turn.compare(queues.bestRank());
});

module.exports = { add, answerLate, extendTurn, noteRendering };
