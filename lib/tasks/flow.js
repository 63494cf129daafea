'use strict';

// Flows: the requests, and the tasks that name a fairness key, among which the thread is shared
// fairly; see core/src/fair_queues.rs. A flow has queues of its own for each priority that its
// tasks have or follow.
//
// A flow is open in the binding from the first task that is posted to it until it has ended and
// none of its tasks waits. What it leads to later opens it again, as a new one.

const { fixedQueue, flows, giveQueueBack, takeQueue } = require('../loop/event-loop.js');
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

const freeFlows = [];
let nextFlow = 0;

const CLOSED = -1;

// How many flows have been opened.
let opened = 0;

// Closes the flows of requests whose end nothing reports, as of tasks that never settle.
const registry = new FinalizationRegistry((numbers) => close(numbers, false));

function keyOf(name, weight) {
  const known = keys.get(name);
  if (known !== undefined) {
    known.weight = weight;
    return known;
  }
  const isFull = keys.size >= MAX_KEYS;
  if (++newKeys >= sweepAt || (isFull && now() - sweptAt > INTERVAL)) sweep();
  if (keys.size >= MAX_KEYS) return rest;
  const key = { number: freeKeys.pop() ?? nextKey++, weight, wait: 0 };
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

function close(numbers, hasFinished) {
  flows.close(numbers.flow, hasFinished);
  for (const queue of numbers.queues) giveQueueBack(queue);
  freeFlows.push(numbers.flow);
}

class Flow {
  #name;
  #weight;
  #isOver = false;
  #hasFinished = false;
  #isRegistered = false;
  // Its number and those of its queues while it is open.
  #numbers = undefined;
  // What is known of its key, from when it was first open.
  #key = undefined;
  // By the slots of a signal or a fixed priority.
  #pairs = new Map();
  // How many of its entries wait.
  #members = 0;
  // The lower, the earlier it was opened. It has none before that.
  #order = undefined;

  constructor(name = DEFAULT_KEY, weight = DEFAULT_WEIGHT) {
    this.#name = name;
    this.#weight = weight;
  }

  // Its key, and the level that it is in, from 0.
  get place() {
    return { key: this.#name, level: flows.level(this.number) };
  }

  get key() {
    return this.#name;
  }

  get order() {
    return this.#order;
  }

  // Its number in the binding, or -1 if it is not open.
  get number() {
    return this.#numbers === undefined ? CLOSED : this.#numbers.flow;
  }

  // Takes effect once none of its entries waits.
  setKey(name, weight) {
    this.#name = name ?? this.#name;
    this.#weight = weight ?? this.#weight;
    if (this.#members === 0) this.#close();
  }

  // The queue of its tasks (or continuations) that follow the priority of a signal, whose slots
  // these are, or that have a fixed priority.
  queueOf(source, isContinuation) {
    let pair = this.#pairs.get(source);
    if (pair === undefined) {
      pair = this.#extend();
      this.#pairs.set(source, pair);
      if (typeof source === 'object') source.attach(pair);
    }
    return isContinuation ? pair.continuations : pair.tasks;
  }

  // Closes it when it is collected, as nothing else may.
  watch() {
    if (this.#isRegistered) return;
    this.#isRegistered = true;
    if (this.#numbers !== undefined) registry.register(this, this.#numbers, this.#numbers);
  }

  // The request has ended, or was given up.
  end(hasFinished) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hasFinished = hasFinished;
    if (this.#members === 0) this.#close();
  }

  // An entry of it has waited for so many nanoseconds.
  noteWait(time) {
    this.#key.wait += time;
  }

  joined() {
    this.#members++;
  }

  left() {
    if (--this.#members === 0 && this.#isOver) this.#close();
  }

  // Something of it begins to wait for a turn outside of the scheduler's queues: it is open, and
  // its time does not fade.
  hold() {
    if (this.#numbers === undefined) this.queueOf('user-visible', false);
    this.joined();
    flows.hold(this.#numbers.flow, true);
  }

  // It waits no more.
  release() {
    flows.hold(this.#numbers.flow, false);
    this.left();
  }

  #extend() {
    const ids = [takeQueue(), takeQueue()];
    if (this.#numbers === undefined) {
      const key = keyOf(this.#name, this.#weight);
      const flow = freeFlows.pop() ?? nextFlow++;
      flows.open(flow, key.number, key.weight, ids);
      this.#order = opened++;
      this.#key = key;
      this.#numbers = { flow, queues: ids };
      if (this.#isRegistered) registry.register(this, this.#numbers, this.#numbers);
    } else {
      flows.extend(this.#numbers.flow, ids);
      this.#numbers.queues.push(...ids);
    }
    return new Pair(this, ids);
  }

  #close() {
    const numbers = this.#numbers;
    if (numbers === undefined) return;
    this.#numbers = undefined;
    if (this.#isRegistered) registry.unregister(numbers);
    for (const [source, pair] of this.#pairs) {
      if (typeof source === 'object') source.detach(pair);
    }
    this.#pairs.clear();
    close(numbers, this.#hasFinished);
  }
}

// The two queues of a flow that have one priority.
class Pair {
  tasks;
  continuations;

  constructor(flow, [tasks, continuations]) {
    this.tasks = new FlowQueue(flow, tasks, false);
    this.continuations = new FlowQueue(flow, continuations, true);
  }

  setPriority(priority) {
    this.tasks.setPriority(priority);
    this.continuations.setPriority(priority);
  }
}

class FlowQueue {
  #flow;
  #id;
  #isContinuation;
  #members = 0;

  constructor(flow, id, isContinuation) {
    this.#flow = flow;
    this.#id = id;
    this.#isContinuation = isContinuation;
  }

  post(task, priority, delay, isReferenced, maxWait) {
    const rank = fixedQueue(priority, this.#isContinuation);
    task.id = flows.post(task, this.#id, rank, delay, isReferenced, maxWait);
    task.queue = this;
    this.#members++;
    this.#flow.joined();
  }

  leave() {
    this.#members--;
    this.#flow.left();
  }

  setPriority(priority) {
    if (this.#members === 0) return;
    flows.setPriority(this.#id, fixedQueue(priority, this.#isContinuation), this.#isContinuation);
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
