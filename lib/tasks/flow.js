'use strict';

// Flows: the requests and the tasks with a fairness key, which share the thread fairly; see
// core/src/fair_queues.rs. A flow has its own queues for each priority that its tasks have or
// follow.
//
// A flow is open in the binding from its first posted task, or its first run outside of tasks,
// until it has ended and none of its tasks waits. A later task opens it again, as a new flow of the
// binding.

const { QueuePair } = require('../loop/dynamic-queue.js');
const { flows } = require('../loop/event-loop.js');
const { setTimer } = require('../loop/time.js');
const { prioritySlots } = require('../signals/task-signal.js');
const { carried } = require('./scheduling-state.js');

// The key of requests without one.
const DEFAULT_KEY = '';

const CLOSED = -1;

// In place of a key, for the work without one.
const NO_KEY = { number: undefined, wait: 0 };

// How often flows were opened.
let opened = 0;

// The open flows that end when they have been idle for so many intervals of so many ms.
const unended = new Set();
const INTERVAL = 250;
const MOST_IDLE = 4;

// The number of intervals so far.
let intervals = 0;
let isTimed = false;

function lookLater() {
  if (isTimed) return;
  isTimed = true;
  setTimer(() => {
    isTimed = false;
    intervals++;
    for (const flow of unended) flow.endIfIdle();
    if (unended.size > 0) lookLater();
  }, INTERVAL).unref();
}

class Flow {
  // The Request whose flow it is, if any.
  request = undefined;
  #name;
  // A weight that was given and that its key does not have yet.
  #weight;
  #isOver = false;
  #hasFinished = false;
  #isWatched = false;
  // The Flows of the binding in which it is open, and its number there.
  #home = undefined;
  #number = CLOSED;
  // Whether it is open with another key than it has now.
  #isMoving = false;
  // The entry of its key in `home`, from the first opening on. The run of a shared task can start
  // before that, as its first join() had no flow.
  #key = NO_KEY;
  // The last used QueuePair, and the others with waiting entries, by their sources.
  #pair = undefined;
  #others = undefined;
  // The number of its queues with waiting entries, plus the number of its waits outside of them.
  #queues = 0;
  // The position among all openings; undefined before the first one.
  #order = undefined;
  // Whether its code is charged to its key, and has a place of its own beside the key: that of a
  // part, whose number this is while the flow is open.
  #isPart;
  #part = undefined;
  // Whether no event reports its end; and the interval in which it became idle.
  #endsIdle = false;
  #idleSince = 0;

  // Without a weight, the key keeps the weight that it has, which is 1 at first.
  constructor(name = DEFAULT_KEY, weight = undefined, isPart = false) {
    this.#name = name;
    this.#weight = weight;
    this.#isPart = isPart;
  }

  // A flow for the run of a shared task that code of this flow waits for. The run was begun by code
  // of this flow, or without one.
  ofRun(isOfNone) {
    return new Flow(isOfNone ? null : this.#name, undefined, true);
  }

  // Code of another flow, or of none, waits for the code of this part.
  join(other) {
    if (this.#home !== flows()) this.#open();
    if (other?.number === CLOSED) return;
    this.#home.joinPart(this.#part, other?.#part ?? other?.#key.number);
  }

  // Its key, and its current level, from 0.
  get place() {
    return { key: this.#name, level: this.#home?.level(this.#number) ?? 0 };
  }

  get key() {
    return this.#name;
  }

  get order() {
    return this.#order;
  }

  // Its number in the binding of the event loop, or -1 if it is not open there.
  get number() {
    return this.#home === flows() ? this.#number : CLOSED;
  }

  // Another key takes effect once none of its entries waits.
  setKey(name, weight = undefined) {
    if (name !== this.#name) {
      this.#name = name;
      this.#weight = undefined;
      this.#isMoving = true;
    }
    this.#weight = weight ?? this.#weight;
    if (this.#home === undefined) return;
    if (!this.#isMoving) this.#weigh();
    else if (this.#queues === 0) this.#close();
  }

  // The queue of its tasks (or continuations) of one priority. `source` is a fixed priority, or the
  // PrioritySlots of a signal, whose priority the queue follows.
  queueOf(source, isContinuation) {
    if (this.#pair?.source !== source) this.#changePair(source);
    return this.#pair.queueOf(isContinuation);
  }

  #changePair(source) {
    const last = this.#pair;
    if (last?.isEmpty) detach(last);
    else if (last !== undefined) (this.#others ??= new Map()).set(last.source, last);
    const other = this.#others?.get(source);
    if (other !== undefined) this.#others.delete(source);
    this.#pair = other ?? this.#newPair(source);
  }

  #newPair(source) {
    const pair = new QueuePair(this, source);
    if (typeof source === 'object') source.attach(pair);
    return pair;
  }

  // Closes the flow when it is collected, for flows that may never end.
  watch() {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#home?.watch(this, this.#number, this.#part);
  }

  // The request or task has ended, or was collected.
  end(hasFinished) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hasFinished = hasFinished;
    if (this.#queues === 0) this.#close();
  }

  // Lets the flow end once it has been idle for a second, as no event reports the end. A later task
  // opens it again.
  endWhenIdle() {
    this.#endsIdle = true;
  }

  endIfIdle() {
    if (this.#queues > 0 || intervals - this.#idleSince < MOST_IDLE) return;
    this.#hasFinished = true;
    this.#close();
    this.#hasFinished = false;
  }

  // Adds the wait of an entry, in nanoseconds.
  noteWait(time) {
    this.#key.wait += time;
  }

  // Adds a queue to the flow, until the queue is empty again.
  bind(queue) {
    if (this.#home !== flows()) this.#open();
    this.#home.bind(this.#number, queue);
  }

  joined() {
    this.#queues++;
  }

  left(pair) {
    if (pair !== this.#pair && pair.isEmpty) {
      this.#others.delete(pair.source);
      detach(pair);
    }
    this.#leave();
  }

  // Opens it, unless it has ended: it runs outside of tasks before its first one, if it has any.
  begin() {
    if (this.#home !== flows() && !this.#isOver) this.#open();
  }

  // A part of it begins to wait outside of the scheduler's queues. This opens the flow, and its
  // time does not decay.
  beginWait() {
    if (this.#home !== flows()) this.#open();
    this.joined();
    this.#home.waitOutside(this.#number, true);
  }

  // Ends the wait of a beginWait().
  endWait() {
    this.#home.waitOutside(this.#number, false);
    this.#leave();
  }

  #leave() {
    if (--this.#queues > 0) return;
    if (this.#isOver || this.#isMoving) this.#close();
    else this.#idleSince = intervals;
  }

  // Opens it in the binding of the event loop. No entry waits when the binding changes, so in
  // another one the flow has only waits outside, which it takes along.
  #open() {
    const waits = this.#queues;
    for (let i = 0; i < waits; i++) this.#home.waitOutside(this.#number, false);
    this.#leaveHome();
    this.#home = flows();
    this.#isMoving = false;
    this.#key = this.#name === null ? NO_KEY : this.#home.keyOf(this.#name);
    this.#weigh();
    if (this.#isPart) this.#part = this.#home.openPart(this.#key.number);
    this.#number = this.#home.open(this.#part ?? this.#key.number);
    this.#order = opened++;
    if (this.#isWatched) this.#home.watch(this, this.#number, this.#part);
    if (this.#endsIdle) {
      unended.add(this);
      lookLater();
    }
    for (let i = 0; i < waits; i++) this.#home.waitOutside(this.#number, true);
  }

  // Gives the key the weight, if there is one, for once: other code may change it later.
  #weigh() {
    if (this.#weight !== undefined) this.#home.setWeight(this.#key, this.#weight);
    this.#weight = undefined;
  }

  #close() {
    if (this.#pair !== undefined) detach(this.#pair);
    this.#pair = undefined;
    this.#leaveHome();
  }

  #leaveHome() {
    if (this.#home === undefined) return;
    if (this.#endsIdle) unended.delete(this);
    if (this.#isWatched) this.#home.unwatch(this);
    this.#home.close(this.#number, this.#part, this.#hasFinished);
    this.#home = undefined;
    this.#number = CLOSED;
    this.#part = undefined;
  }
}

// A pair without waiting entries does not follow its signal any more.
function detach(pair) {
  if (typeof pair.source === 'object') pair.source.detach(pair);
}

// The flow of the request whose signal this TaskSignal is or follows.
const flowOfSignal = (signal) => prioritySlots(signal)?.decisive.flow;

// The flow of the admitted request whose code runs; undefined if there is none.
function flowOfRequest() {
  const request = carried()?.request;
  return request?.isRunning ? request.flow : undefined;
}

// Charges a flow, or code without one, for a run time in ms with a priority outside of tasks.
function chargeOutside(flow, priority, time) {
  const number = flow?.number;
  if (number !== CLOSED) flows().charge(number, priority, time * 1e6);
}

const listKeys = () => flows().listKeys();

const listLevels = (priority) => flows().listLevels(priority);

module.exports = {
  Flow, chargeOutside, flowOfRequest, flowOfSignal, listKeys, listLevels,
};
