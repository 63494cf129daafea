'use strict';

// The keys and the flows of one binding, by number; see tasks/flow.js.

const {
  ASK, BIND_QUEUE, CLOSE_FLOW, OF_FLOW, RANK_BITS, RANK_OF, TELL,
} = require('./protocol.js');

const DEFAULT_WEIGHT = 1;

// The number of distinguished keys. All further keys share the number 0.
const MAX_KEYS = 10_000;
const REST = 0;

// With at least so many keys, each new key removes some of the keys that are not needed: of this
// many keys, in turn, so that no call takes long.
const FIRST_SWEEP = 64;
const SWEPT_AT_ONCE = 4;

// The number of a flow or a key in a change.
const orNone = (number) => (number === undefined ? 0 : number + 1);

const newKey = (number) => ({ number, weight: DEFAULT_WEIGHT, wait: 0 });

class Flows {
  #ask;
  #tell;
  #shared;
  #keptWhenEmpty;
  // By name: the number and the weight of each key, and the sum of its waits in nanoseconds while
  // tasks were watched.
  #keys = new Map();
  #rest = newKey(REST);
  #freeKeys = [];
  #nextKey = REST + 1;
  // The iterator of the current sweep.
  #swept = this.#keys.entries();
  // The numbers of closed flows, and the first number that was never used.
  #freeFlows = [];
  #nextFlow = 0;
  // Closes flows whose end is not reported, such as the flows of tasks that never settle.
  #registry = new FinalizationRegistry(({ number, part }) => this.close(number, part, false));
  // The numbers of the parts whose flows are closed.
  #gone = [];

  // `keptWhenEmpty` is the most free numbers that are kept while no flow is open.
  constructor({ ask, shared, tell }, keptWhenEmpty) {
    this.#keptWhenEmpty = keptWhenEmpty;
    this.#ask = ask;
    this.#tell = tell;
    this.#shared = shared;
  }

  // The entry of a key, which is the shared one if there is no room.
  keyOf(name) {
    let key = this.#keys.get(name);
    if (key !== undefined) return key;
    if (this.#keys.size >= FIRST_SWEEP) this.#sweep();
    if (this.#keys.size >= MAX_KEYS) return this.#rest;
    key = newKey(this.#freeKeys.pop() ?? this.#nextKey++);
    this.#keys.set(name, key);
    return key;
  }

  setWeight(key, weight) {
    if (key === this.#rest || key.weight === weight) return;
    this.#tell(TELL.SET_WEIGHT, key.number, weight);
    key.weight = weight;
  }

  // Makes a new key a part of another one or, with undefined, of the work without a key: what the
  // part is charged, the whole is charged too. Returns its number.
  openPart(whole) {
    this.#forgetParts();
    const part = this.#freeKeys.pop() ?? this.#nextKey++;
    this.#tell(TELL.OPEN_PART, part, orNone(whole));
    return part;
  }

  // Lets a part go where another key would, or the work without a key, if that comes first.
  joinPart(part, other) {
    this.#tell(TELL.JOIN_PART, part, orNone(other));
  }

  // Opens a flow of a key or of a part. Returns its number.
  open(key) {
    const number = this.#freeFlows.pop() ?? this.#nextFlow++;
    this.#put(number, key);
    return number;
  }

  // Closes the flow, and its part if it has one, when it is collected.
  watch(flow, number, part) {
    this.#registry.register(flow, { number, part }, flow);
  }

  unwatch(flow) {
    this.#registry.unregister(flow);
  }

  close(number, part, hasFinished) {
    this.#put(number, hasFinished ? CLOSE_FLOW + 1 : CLOSE_FLOW);
    if (part !== undefined) this.#gone.push(part);
    const free = this.#freeFlows;
    free.push(number);
    if (free.length > this.#keptWhenEmpty && free.length === this.#nextFlow) {
      free.length = 0;
      this.#nextFlow = 0;
    }
  }

  // The queue, which does not exist yet, belongs to the flow until its last member has left.
  bind(number, queue) {
    this.#put(number, BIND_QUEUE + queue);
  }

  // A request of the flow begins or ends to wait outside of the queues.
  waitOutside(number, waits) {
    this.#tell(TELL.WAIT_OUTSIDE, number, waits ? 1 : 0);
  }

  // Charges a flow, or code without one, for nanoseconds that it has run outside of tasks.
  charge(number, priority, time) {
    this.#tell(TELL.CHARGE_OUTSIDE, orNone(number), RANK_OF[priority], time);
  }

  // The current level of the flow, from 0.
  level(number) {
    return this.#ask(ASK.LEVEL_OF_FLOW, number);
  }

  // The metrics of each distinguished key, and of all further keys together, under the name
  // undefined. Times are in nanoseconds.
  listKeys() {
    const names = new Map([[REST, [undefined, this.#rest]]]);
    for (const [name, key] of this.#keys) names.set(key.number, [name, key]);
    // Three numbers for each: its own, the count of its open flows, and their run time.
    const numbers = this.#ask(ASK.KEYS);
    const list = [];
    for (let i = 0; i < numbers.length; i += 3) {
      const [name, { weight, wait }] = names.get(numbers[i]);
      list.push({ name, weight, wait, requests: numbers[i + 1], time: numbers[i + 2] });
    }
    return list;
  }

  // The upper bounds of the levels of a priority, in nanoseconds.
  listLevels(priority) {
    return [...this.#ask(ASK.LEVELS, RANK_OF[priority])];
  }

  #put(number, what) {
    this.#shared.put(what, number * 2 ** RANK_BITS + OF_FLOW);
  }

  // A part is forgotten once the callback has ended in which its flow was closed.
  #forgetParts() {
    this.#gone = this.#gone.filter((part) => {
      if (!this.#forget(part)) return true;
      this.#freeKeys.push(part);
      return false;
    });
  }

  #forget(key) {
    return this.#ask(ASK.FORGET_KEY, key) !== 0;
  }

  #sweep() {
    this.#forgetParts();
    for (let i = 0; i < SWEPT_AT_ONCE; i++) {
      const { done, value } = this.#swept.next();
      if (done) {
        this.#swept = this.#keys.entries();
        return;
      }
      const [name, { number }] = value;
      if (!this.#forget(number)) continue;
      this.#keys.delete(name);
      this.#freeKeys.push(number);
    }
  }
}

module.exports = { Flows };
