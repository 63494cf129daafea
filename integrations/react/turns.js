'use strict';

// Gives the gates their turns, one after the other, in the scheduler's order. Those of a request
// take turns as its tasks do, and what React renders then is charged to the request.
//
// A gate is asked: React hears that it may go on, and comes back to where the gate stands. Then the
// gate opens. React never comes back for a render that is over. So the gates of such a render are
// forgotten, and have cost no more than the question. That is no verdict: if React comes later than
// that, the gate opens then, or waits again.
//
// React comes in an immediate, and renders in it all whose gates are open. So one gate opens until
// that immediate has run. React's builds for other platforms come in a timer or a message, and
// Next.js has one of them for its pages router. As a timer takes a millisecond, a few gates may
// open in one: so many that their sections take no longer than a slice of time.
//
// React has no other way to say that a render is over. Weak references cannot tell: a gate can be
// all that keeps a render alive, as in a prerender, or where a page is sent once it is complete.

const { clearImmediate, clearTimeout, setImmediate, setTimeout } = require('node:timers');
const api = require('../../index.js');
const { Promise, nextTick, now, queueMicrotask } = require('../../lib/loop/intrinsics.js');
const queues = require('./gate-queues.js');
const { PRIORITIES } = require('./props.js');

const { scheduler } = api;
const { chargeOutside, patientRequestOf, postInFlow, registerSections, sectionsLeft } =
  api[Symbol.for('uv-scheduler.requests')];

// How long sections may block the thread that React renders in one go when it is late, in ms, and
// how many there may be.
const SLICE = 5;
const MOST_AT_ONCE = 16;

// How many groups are asked in a turn: more than one while renders turn out to be over. Those whose
// renders go on have to be asked again.
let width = 1;
const MOST_ASKED = 64;

// The turn that is under way.
let turn;

// Whether React has come late, and no turn has waited for it in vain since.
let isLateExpected = false;

const BACKGROUND = PRIORITIES.indexOf('background');

// By rank: the flows of which a task or continuation that gives turns is queued. Gates without a
// flow count as those of undefined.
const queued = PRIORITIES.map(() => new Set());

const NOBODY = null;

// The gate whose section React renders, and since when.
let rendered;
let renderedSince = 0;

// Some gates that are asked together.
class Question {
  // Whether React has not come in its immediate.
  isLate = false;
  gates;
  // Called with whether React has not come to some of the gates.
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

  // React hears of a question in microtasks, and calls setImmediate in one of them. A tick that is
  // queued in a microtask runs when there are no more microtasks.
  awaitImmediate() {
    this.#immediates++;
    queueMicrotask(() => nextTick(() => {
      this.#areMicrotasksOver = true;
      setImmediate(this.#onImmediate);
    }));
  }

  // React has come to one of the gates. Returns whether that one opens.
  answer() {
    this.#hasAnswer = true;
    return false;
  }

  // For a render that has just begun React comes in a microtask, before it comes for older ones.
  isTooEarlyFor(gate) {
    return !this.#areMicrotasksOver && gate !== this.gates[0];
  }

  // React was waited for in vain.
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

  // A message to React comes between timers and immediates.
  #onTimer = () => {
    this.#immediate = setImmediate(() => this.giveUp());
  };
}

const isNotAsked = ({ question }) => question === undefined;

// Asks all gates of groups of which React has not come to one.
function suspect(groups) {
  const suspects = groups.filter(({ gates, isSuspect }) => gates.size > 0 && !isSuspect);
  if (suspects.length === 0) return;
  for (const group of suspects) group.isSuspect = true;
  const gates = suspects.flatMap((group) => [...group.gates].filter(isNotAsked));
  new Question(gates, () => {
    for (const group of suspects) group.isSuspect = false;
  }).ask();
}

// A question to the first gates of a rank. One of them opens.
class Turn extends Question {
  #rank;
  #opened = [];
  #begin;
  #isOutranked = false;

  constructor(rank, flow, onEnd) {
    super(queues.oldest(rank, flow, width, isLateExpected ? MOST_AT_ONCE : 1), onEnd);
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

  // A gate waits whose rank is this. If that is a higher one, no gate opens any more in this turn.
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

// Gives a turn to the gates of a rank, to those of a flow first. The promise is fulfilled when it
// has ended.
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

// Gives turns until no gate of the flow has to come next. To be called when a task or continuation
// of the flow and of the rank has begun.
async function giveTurns(flow, rank) {
  for (let own = rank; ;) {
    queued[own].delete(flow);
    // What gave that turn has the next one given.
    if (turn !== undefined) return;
    const best = queues.bestRank();
    if (best <= own && queues.firstFlows(best).includes(flow)) await takeTurn(best, flow);
    own = queues.bestRank();
    if (own === undefined || !request(flow)) return;
    await scheduler.yield({ priority: PRIORITIES[own] });
  }
}

// Gives turns as background work. To be called in a task that drain() lets run: it refuses those in
// the background, but a page that has begun is sent as a whole.
async function giveInBackground(flow) {
  const priority = PRIORITIES[BACKGROUND];
  try {
    await postInFlow(() => {}, priority, undefined, flow);
  } catch {
    await scheduler.yield({ priority });
  }
  return giveTurns(flow, BACKGROUND);
}

// Has turns given, if gates wait: to the first flow of each key, whose tasks the scheduler puts in
// order. To be called between two turns. Returns whether the task of the flow that asks goes on.
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

// drain() has rejected a task of this rank, and others of lower ones.
function fail(error, rank) {
  for (const flows of queued) flows.clear();
  for (const gate of queues.all()) if (gate.group.queue.rank >= rank) gate.fail(error);
  if (turn === undefined) request();
}

// How many groups may wait before it is asked whether their renders are over. Turns alone would not
// do: work of a higher priority can keep a gate from its turn for ever.
let limit;
const LEAST_LIMIT = 16;

// How many groups are asked at a time.
const STEP = 64;

let isAskingAll = false;

async function askAll() {
  const gates = queues.firsts();
  while (gates.length > 0) {
    const some = gates.splice(0, STEP).filter(isNotAsked);
    await new Promise((resolve) => new Question(some, resolve).ask());
  }
  setLimit();
  isAskingAll = false;
}

// So that to ask costs each gate little, however many wait.
function setLimit() {
  limit = Math.max(LEAST_LIMIT, 2 * queues.countGroups());
}

// Puts a gate among those that wait. Returns its group.
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

// React has come to a gate that was forgotten in a turn. Returns whether it opens.
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

// The turn lasts until React's next immediate.
function extendTurn() {
  turn.awaitImmediate();
}

// React has come to a gate that is open. Until the callback of the loop ends, or React comes to
// another gate, it renders what is behind that one.
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
// Requests that wait for their first turn come behind the sections of pages that have begun.
registerSections((priority) => queues.bestRank() <= PRIORITIES.indexOf(priority));
queues.onLeft(sectionsLeft);
queues.onRequests(patientRequestOf);

queues.onPriorityChange(() => {
  sectionsLeft();
  if (turn === undefined) request();
  else turn.compare(queues.bestRank());
});

module.exports = { add, answerLate, extendTurn, noteRendering };
