'use strict';

// Flows: the requests, and the tasks that name a fairness key, among which the thread is shared
// fairly; see core/src/fair_queues.rs. A flow has queues of its own for each priority that its
// tasks have or follow.
//
// A flow is open in the binding from the first task that is posted to it until it has ended and
// none of its tasks waits. What it leads to later opens it again, as a new one.

const { DynamicQueue, KEPT_WHEN_EMPTY, flows } = require('../loop/event-loop.js');
const { now } = require('../loop/intrinsics.js');
const { prioritySlots } = require('../signals/task-signal.js');

// Requests that name no key.
const DEFAULT_KEY = '';
const DEFAULT_WEIGHT = 1;

// So many keys are told apart. The rest share one, whose number is 0.
const MAX_KEYS = 10_000;
const REST = 0;

// After so many new keys, and then after as many as there are, those are forgotten of which nothing
// has to be known.
const FIRST_SWEEP = 64;

// By name: the number and the weight of each key, and for how many nanoseconds its entries have
// waited in all, as far as tasks were watched.
const keys = new Map();
const rest = { number: REST, weight: DEFAULT_WEIGHT, wait: 0 };
const freeKeys = [];
let nextKey = REST + 1;
// Where there is no room for more, that is done so often at most, in ms.
const INTERVAL = 100;

// How many new keys there were since the last time, how many there may be, and when that was.
let newKeys = 0;
let sweepAt = FIRST_SWEEP;
let sweptAt = -Infinity;

// The numbers of flows that are not open any more, and the first that never was.
const freeFlows = [];
let nextFlow = 0;

const CLOSED = -1;

// How many flows have been opened.
let opened = 0;

// Closes the flows of requests whose end nothing reports, as of tasks that never settle.
const registry = new FinalizationRegistry((number) => close(number, false));

function keyOf(name, weight) {
  const key = keys.get(name) ?? newKey(name);
  if (key !== rest && key.weight !== weight) {
    flows.setWeight(key.number, weight);
    key.weight = weight;
  }
  return key;
}

// The key of a name that is not told apart yet.
function newKey(name) {
  const isFull = keys.size >= MAX_KEYS;
  if (++newKeys >= sweepAt || (isFull && now() - sweptAt > INTERVAL)) sweep();
  if (keys.size >= MAX_KEYS) return rest;
  const key = { number: freeKeys.pop() ?? nextKey++, weight: DEFAULT_WEIGHT, wait: 0 };
  keys.set(name, key);
  return key;
}

function sweep() {
  for (const [name, { number }] of keys) {
    if (!flows.forgetKey(number)) continue;
    keys.delete(name);
    freeKeys.push(number);
  }
  newKeys = 0;
  sweptAt = now();
  sweepAt = Math.max(FIRST_SWEEP, keys.size);
}

function close(number, hasFinished) {
  flows.close(number, hasFinished);
  freeFlows.push(number);
  if (freeFlows.length > KEPT_WHEN_EMPTY && freeFlows.length === nextFlow) {
    freeFlows.length = 0;
    nextFlow = 0;
  }
}

class Flow {
  #name;
  #weight;
  #isOver = false;
  #hasFinished = false;
  #isWatched = false;
  // Its number in the binding, or -1 if it is not open.
  #number = CLOSED;
  // What is known of its key, from when it was first open.
  #key = undefined;
  // The Pair that was used last, and by their sources the others, which have entries that wait.
  #pair = undefined;
  #others = undefined;
  // How many of its queues have entries that wait, and how much else waits.
  #queues = 0;
  // The lower, the earlier it was opened. It has none before that.
  #order = undefined;

  constructor(name = DEFAULT_KEY, weight = DEFAULT_WEIGHT) {
    this.#name = name;
    this.#weight = weight;
  }

  // Its key, and the level that it is in, from 0.
  get place() {
    return { key: this.#name, level: flows.level(this.#number) };
  }

  get key() {
    return this.#name;
  }

  get order() {
    return this.#order;
  }

  get number() {
    return this.#number;
  }

  // Takes effect once none of its entries waits.
  setKey(name, weight) {
    this.#name = name ?? this.#name;
    this.#weight = weight ?? this.#weight;
    if (this.#queues === 0) this.#close();
  }

  // The queue of its tasks (or continuations) that follow the priority of a signal, whose slots
  // these are, or that have a fixed priority.
  queueOf(source, isContinuation) {
    if (this.#pair?.source !== source) this.#changePair(source);
    return this.#pair.queueOf(isContinuation);
  }

  #changePair(source) {
    const last = this.#pair;
    if (last?.isEmpty) last.detach();
    else if (last !== undefined) (this.#others ??= new Map()).set(last.source, last);
    const other = this.#others?.get(source);
    if (other !== undefined) this.#others.delete(source);
    this.#pair = other ?? new Pair(this, source);
  }

  // Closes it when it is collected, as nothing else may.
  watch() {
    if (this.#isWatched) return;
    this.#isWatched = true;
    if (this.#number !== CLOSED) registry.register(this, this.#number, this);
  }

  // The request has ended, or was given up.
  end(hasFinished) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hasFinished = hasFinished;
    if (this.#queues === 0) this.#close();
  }

  // An entry of it has waited for so many nanoseconds.
  noteWait(time) {
    this.#key.wait += time;
  }

  // Makes a queue one of the flow, while it has members.
  bind(queue) {
    if (this.#number === CLOSED) this.#open();
    flows.bind(this.#number, queue);
  }

  joined() {
    this.#queues++;
  }

  left(pair) {
    if (pair !== this.#pair && pair.isEmpty) {
      this.#others.delete(pair.source);
      pair.detach();
    }
    this.#leave();
  }

  // Something of it begins to wait for a turn outside of the scheduler's queues: it is open, and
  // its time does not fade.
  hold() {
    if (this.#number === CLOSED) this.#open();
    this.joined();
    flows.hold(this.#number, true);
  }

  // It waits no more.
  release() {
    flows.hold(this.#number, false);
    this.#leave();
  }

  #leave() {
    if (--this.#queues === 0 && this.#isOver) this.#close();
  }

  #open() {
    this.#key = keyOf(this.#name, this.#weight);
    this.#number = freeFlows.pop() ?? nextFlow++;
    flows.open(this.#number, this.#key.number);
    this.#order = opened++;
    if (this.#isWatched) registry.register(this, this.#number, this);
  }

  #close() {
    if (this.#number === CLOSED) return;
    if (this.#isWatched) registry.unregister(this);
    this.#pair?.detach();
    this.#pair = undefined;
    const number = this.#number;
    this.#number = CLOSED;
    close(number, this.#hasFinished);
  }
}

// The queues of a flow that have one priority: a fixed one, or that of a signal, whose slots list
// the pair while the flow has it.
class Pair {
  previous = undefined;
  next = undefined;
  // See Flow.queueOf().
  source;
  #flow;
  #tasks = undefined;
  #continuations = undefined;
  // How many of them have entries that wait.
  #queues = 0;

  constructor(flow, source) {
    this.source = source;
    this.#flow = flow;
    if (typeof source === 'object') source.attach(this);
  }

  get isEmpty() {
    return this.#queues === 0;
  }

  queueOf(isContinuation) {
    return isContinuation
      ? this.#continuations ??= new DynamicQueue(true, this)
      : this.#tasks ??= new DynamicQueue(false, this);
  }

  bind(queue) {
    this.#flow.bind(queue);
  }

  joined() {
    this.#queues++;
    this.#flow.joined();
  }

  left() {
    this.#queues--;
    this.#flow.left(this);
  }

  setPriority(priority) {
    this.#tasks?.setPriority(priority);
    this.#continuations?.setPriority(priority);
  }

  detach() {
    if (typeof this.source === 'object') this.source.detach(this);
  }
}

// Makes the tasks with a signal tasks of a request.
function joinFlow(signal, flow) {
  prioritySlots(signal).flow = flow;
}

// The flow of the request whose signal a TaskSignal is, or follows.
const flowOfSignal = (signal) => prioritySlots(signal)?.decisive.flow;

// Charges a flow, or code without one, for so many milliseconds that it has run with a priority
// outside of tasks.
function chargeOutside(flow, priority, time) {
  const number = flow?.number;
  if (number !== CLOSED) flows.charge(number, priority, time * 1e6);
}

// What is known of the keys that are told apart, and of the others together, whose name is
// undefined. Times are in nanoseconds.
function listKeys() {
  const names = new Map([[REST, [undefined, rest]]]);
  for (const [name, key] of keys) names.set(key.number, [name, key]);
  const numbers = flows.listKeys();
  const list = [];
  for (let i = 0; i < numbers.length; i += 3) {
    const [name, { weight, wait }] = names.get(numbers[i]);
    list.push({ name, weight, wait, requests: numbers[i + 1], time: numbers[i + 2] });
  }
  return list;
}

// Where the levels of a priority end, in nanoseconds.
const listLevels = (priority) => [...flows.listLevels(priority)];

module.exports = { Flow, chargeOutside, flowOfSignal, joinFlow, listKeys, listLevels };
