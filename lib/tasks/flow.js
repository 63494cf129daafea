'use strict';

// Flows: the requests and the tasks with a fairness key, which share the thread fairly; see
// core/src/fair_queues.rs. A flow has its own queues for each priority that its tasks have or
// follow.
//
// A flow is open in the binding from its first posted task until the flow has ended and none of its
// tasks waits. A later task opens it again, as a new flow of the binding.

const { DynamicQueue, KEPT_WHEN_EMPTY, flows } = require('../loop/event-loop.js');
const { now } = require('../loop/platform.js');
const { prioritySlots } = require('../signals/task-signal.js');

// The key of requests without one.
const DEFAULT_KEY = '';
const DEFAULT_WEIGHT = 1;

// The number of distinguished keys. All further keys share the number 0.
const MAX_KEYS = 10_000;
const REST = 0;

// After this many new keys, and then whenever the number of keys has doubled, unneeded keys are
// removed.
const FIRST_SWEEP = 64;

// The keys of the binding. By name: the number and the weight of each key, and the sum of its waits
// in nanoseconds while tasks were watched.
let { keys, rest, freeKeys, nextKey } = noKeys();

// If the table is full, the minimum time between two sweeps, in ms.
const INTERVAL = 100;

// The number of new keys since the last sweep, the number that causes the next sweep, and the time
// of the last one.
let newKeys = 0;
let sweepAt = FIRST_SWEEP;
let sweptAt = -Infinity;

// The numbers of the parts whose flows are closed.
let gone = [];

// The numbers of closed flows, and the first number that was never used.
const freeFlows = [];
let nextFlow = 0;

const CLOSED = -1;

// In place of a key, for the work without one.
const NO_KEY = { number: undefined, wait: 0 };

// The number of opened flows.
let opened = 0;

// Closes flows whose end is not reported, such as the flows of tasks that never settle.
const registry = new FinalizationRegistry(({ number, part }) => {
  close(number, part, false);
});

function noKeys() {
  const rest = { number: REST, weight: DEFAULT_WEIGHT, wait: 0 };
  return { keys: new Map(), rest, freeKeys: [], nextKey: REST + 1 };
}

// Begins without keys, as another binding has none. The returned function restores the keys.
function replaceKeys() {
  const own = { keys, rest, freeKeys, nextKey };
  ({ keys, rest, freeKeys, nextKey } = noKeys());
  return () => {
    ({ keys, rest, freeKeys, nextKey } = own);
  };
}

function keyOf(name, weight) {
  const key = keys.get(name) ?? newKey(name);
  if (key !== rest && key.weight !== weight) {
    flows.setWeight(key.number, weight);
    key.weight = weight;
  }
  return key;
}

// Adds a key, or returns the shared one if there is no room.
function newKey(name) {
  const isFull = keys.size >= MAX_KEYS;
  if (++newKeys >= sweepAt || (isFull && now() - sweptAt > INTERVAL)) sweep();
  if (keys.size >= MAX_KEYS) return rest;
  const key = { number: freeKeys.pop() ?? nextKey++, weight: DEFAULT_WEIGHT, wait: 0 };
  keys.set(name, key);
  return key;
}

// Takes the number of a part.
function takePart() {
  forgetParts();
  return freeKeys.pop() ?? nextKey++;
}

// A part is forgotten once the callback has ended in which its flow was closed.
function forgetParts() {
  gone = gone.filter((part) => {
    if (!flows.forgetKey(part)) return true;
    freeKeys.push(part);
    return false;
  });
}

function sweep() {
  forgetParts();
  for (const [name, { number }] of keys) {
    if (!flows.forgetKey(number)) continue;
    keys.delete(name);
    freeKeys.push(number);
  }
  newKeys = 0;
  sweptAt = now();
  sweepAt = Math.max(FIRST_SWEEP, keys.size);
}

function close(number, part, hasFinished) {
  flows.close(number, hasFinished);
  if (part !== undefined) gone.push(part);
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
  // The entry of its key in `keys`, from the first opening on.
  #key = undefined;
  // Whether its code is charged to its key, and has a place of its own beside the key: that of a
  // part, whose number this is while the flow is open.
  #isPart;
  #part = undefined;
  // The last used Pair, and the other Pairs with waiting entries, by their sources.
  #pair = undefined;
  #others = undefined;
  // The number of its queues with waiting entries, plus the number of holds.
  #queues = 0;
  // The position among all openings; undefined before the first one.
  #order = undefined;

  constructor(name = DEFAULT_KEY, weight = DEFAULT_WEIGHT, isPart = false) {
    this.#name = name;
    this.#weight = weight;
    this.#isPart = isPart;
  }

  // A flow for the run of a shared task that code of this flow waits for. The run was begun by code
  // of this flow, or without one.
  ofRun(isOfNone) {
    return new Flow(isOfNone ? null : this.#name, this.#weight, true);
  }

  // Code of another flow, or of none, waits for the code of this part.
  join(other) {
    if (this.#number === CLOSED) this.#open();
    if (other?.number === CLOSED) return;
    flows.joinPart(this.#part, other?.#part ?? other?.#key.number);
  }

  // Its key, and its current level, from 0.
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

  // Closes the flow when it is collected, for flows that may never end.
  watch() {
    if (this.#isWatched) return;
    this.#isWatched = true;
    if (this.#number !== CLOSED) this.#register();
  }

  #register() {
    registry.register(this, { number: this.#number, part: this.#part }, this);
  }

  // The request or task has ended, or was collected.
  end(hasFinished) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hasFinished = hasFinished;
    if (this.#queues === 0) this.#close();
  }

  // Adds the wait of an entry, in nanoseconds.
  noteWait(time) {
    this.#key.wait += time;
  }

  // Adds a queue to the flow, until the queue is empty again.
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

  // A part of it begins to wait for a turn outside of the scheduler's queues. This opens the flow,
  // and its time does not decay.
  hold() {
    if (this.#number === CLOSED) this.#open();
    this.joined();
    flows.hold(this.#number, true);
  }

  // Ends a hold().
  release() {
    flows.hold(this.#number, false);
    this.#leave();
  }

  #leave() {
    if (--this.#queues === 0 && this.#isOver) this.#close();
  }

  #open() {
    this.#key = this.#name === null ? NO_KEY : keyOf(this.#name, this.#weight);
    if (this.#isPart) {
      this.#part = takePart();
      flows.openPart(this.#part, this.#key.number);
    }
    this.#number = freeFlows.pop() ?? nextFlow++;
    flows.open(this.#number, this.#part ?? this.#key.number);
    this.#order = opened++;
    if (this.#isWatched) this.#register();
  }

  #close() {
    if (this.#number === CLOSED) return;
    if (this.#isWatched) registry.unregister(this);
    this.#pair?.detach();
    this.#pair = undefined;
    const number = this.#number;
    const part = this.#part;
    this.#number = CLOSED;
    this.#part = undefined;
    close(number, part, this.#hasFinished);
  }
}

// The queues of a flow for one priority: a fixed priority, or a signal, whose slots list the pair
// while the flow uses it.
class Pair {
  previous = undefined;
  next = undefined;
  // See Flow.queueOf().
  source;
  #flow;
  #tasks = undefined;
  #continuations = undefined;
  // The number of these queues with waiting entries.
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

// Assigns the tasks with a signal to the flow of a request.
function joinFlow(signal, flow) {
  prioritySlots(signal).flow = flow;
}

// The flow of the request whose signal this TaskSignal is or follows.
const flowOfSignal = (signal) => prioritySlots(signal)?.decisive.flow;

// Charges a flow, or code without one, for a run time in ms with a priority outside of tasks.
function chargeOutside(flow, priority, time) {
  const number = flow?.number;
  if (number !== CLOSED) flows.charge(number, priority, time * 1e6);
}

// The metrics of each distinguished key, and of all further keys together, under the name
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

// The upper bounds of the levels of a priority, in nanoseconds.
const listLevels = (priority) => [...flows.listLevels(priority)];

module.exports = {
  Flow, chargeOutside, flowOfSignal, joinFlow, listKeys, listLevels, replaceKeys,
};
