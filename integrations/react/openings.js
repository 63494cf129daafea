'use strict';

// Opens the gates, one after the other. Each lane of gates has a task in the scheduler, its giver,
// which belongs to the flow of the first group; see lanes.js. When the scheduler starts the giver,
// an opening begins: a gate of the lane is asked, and opens when React comes back to it; see
// questions.js. So the sections of a request are ordered like its tasks.
//
// React renders in one immediate all sections whose gates are open, and comes back in a turn of
// the loop. So where nothing more important waits, the next gates of a group open as well, as many
// as fit into one time slice: by what sections took lately, and by what they take now.
//
// If React comes back to a gate that was dropped, the gate opens then, or waits again.

const { platform, postInFlow, shouldYieldAs, time } = require('../internal.js');
const api = require('../../index.js');
const groups = require('./groups.js');
const { onChange } = require('./lanes.js');
const { LABEL, PRIORITIES } = require('./props.js');
const { Question, askAllIfMany } = require('./questions.js');
const { SLICE, recentTime } = require('./rendering.js');

const { nextTick, Promise } = platform;
const { now } = time;

const { scheduler } = api;

// The maximum number of sections that are rendered in one go.
const MOST_AT_ONCE = 64;

// The number of groups that are asked in an opening: more than one while renders turn out to be
// over. Groups whose renders continue must be asked again.
let width = 1;
const MOST_ASKED = 64;

const BACKGROUND = PRIORITIES.indexOf('background');

// The opening under way.
let opening;

// The lanes that may need another giver after the opening.
const later = new Set();

// Asks the first gates of a lane, of which one opens; none if there is no lane.
class Opening extends Question {
  opens = true;
  // Fulfilled at the end of the opening.
  isOver;
  #rank;
  // The priority and the flow of its sections.
  #state;
  #opened = [];
  #begin;
  #isOutranked = false;
  #resolve;

  constructor(lane) {
    const asked = lane === undefined ? [] : lane.take(width);
    const each = mostAtOnce();
    super(asked.flatMap((group) => group.take(each)), (isOneSilent) => this.#setWidth(isOneSilent));
    this.#rank = lane?.rank;
    this.#state = { priority: PRIORITIES[lane?.rank ?? BACKGROUND], flow: asked[0]?.flow };
    this.isOver = new Promise((resolve) => (this.#resolve = resolve));
  }

  answer(gate) {
    super.answer();
    return !this.isTooEarlyFor(gate) && this.open(gate);
  }

  // Returns whether there is room for another section.
  open(gate) {
    if (!this.#hasRoom(gate)) return false;
    if (this.#begin === undefined) {
      this.#begin = now();
      if (this.isLate) nextTick(() => this.end());
    }
    this.#opened.push(gate);
    return true;
  }

  // A group of this rank waits. If the rank is higher, no further gate opens in this opening.
  compare(rank) {
    if (rank < this.#rank) this.#isOutranked = true;
  }

  giveUp() {
    Question.isLateExpected = false;
    super.giveUp();
  }

  end() {
    for (const gate of this.#opened) gate.close();
    super.end();
    opening = undefined;
    for (const lane of later) ask(lane);
    later.clear();
    this.#resolve();
  }

  #setWidth(isOneSilent) {
    if (!isOneSilent) width = Math.max(1, width >> 1);
    else if (this.#opened.length === 0) width = Math.min(2 * width, MOST_ASKED);
  }

  #hasRoom({ group }) {
    if (this.#isOutranked) return false;
    const count = this.#opened.length;
    if (count === 0) return true;
    // Its priority may have changed since it was asked.
    if (this.#rank !== undefined && group?.lane.rank !== this.#rank) return false;
    if (count === MOST_AT_ONCE || shouldYieldAs(this, this.#state, false)) return false;
    return (now() - this.#begin) * (count + 1) <= SLICE * count;
  }
}

// How many gates of a group are asked: a gate that is asked and does not open is asked again.
function mostAtOnce() {
  return Math.min(MOST_AT_ONCE, Math.max(1, Math.trunc(SLICE / recentTime())));
}

function open(lane) {
  opening = new Opening(lane);
  opening.ask();
}

// Opens gates of a lane while its first group is one of the giver's flow. Called when the task of
// the giver has begun. During an opening of another lane, the task is in vain: a later one takes
// its place, and not a continuation, which could open in the phase in which React renders late.
async function openAll(lane, giver) {
  const goesOn = () => lane.giver === giver && lane.isNext(giver.flow);
  while (opening === undefined && goesOn()) {
    open(lane);
    await opening.isOver;
    if (!goesOn()) break;
    await scheduler.yield({ priority: PRIORITIES[lane.rank] });
  }
  if (lane.giver === giver) replaceGiver(lane);
}

// The same as background work. Called in a task of a priority that drain() runs: drain() refuses
// background tasks, but a started page must be completed.
async function openInBackground(lane, giver) {
  const priority = PRIORITIES[BACKGROUND];
  try {
    await postInFlow(() => {}, priority, undefined, giver.flow);
  } catch {
    await scheduler.yield({ priority });
  }
  return openAll(lane, giver);
}

// Posts a task of the first flow of a lane, unless there is one; during an opening, after it.
function ask(lane) {
  if (opening !== undefined) {
    later.add(lane);
    return;
  }
  const { first, giver } = lane;
  if (first === undefined || (giver !== undefined && giver.flow === first.flow)) return;
  post(lane, first.flow);
}

function post(lane, flow) {
  const giver = { flow };
  lane.giver = giver;
  const isInBackground = lane.rank === BACKGROUND;
  const start = isInBackground ? openInBackground : openAll;
  const priority = isInBackground ? 'user-visible' : PRIORITIES[lane.rank];
  postInFlow(() => start(lane, giver), priority, LABEL, flow).catch((error) => {
    // drain() has rejected the task.
    if (lane.giver !== giver) return;
    lane.fail(error);
    replaceGiver(lane);
  });
}

function replaceGiver(lane) {
  lane.giver = undefined;
  ask(lane);
  lane.endIfUnused();
}

// Adds a waiting gate. Returns its group.
function add(gate) {
  const group = groups.add(gate);
  ask(group.lane);
  askAllIfMany();
  return group;
}

// React has reached a gate that was dropped in an opening. Returns whether the gate opens.
function answerLate(gate) {
  Question.isLateExpected = true;
  if (opening === undefined) {
    opening = new Opening();
    opening.isLate = true;
  }
  return opening.open(gate);
}

// Extends the opening until React's next immediate.
function extend() {
  opening.awaitImmediate();
}

onChange((lane) => {
  opening?.compare(lane.rank);
  ask(lane);
});

module.exports = { add, answerLate, extend };
