'use strict';

// Random programs, as data: a seed always gives the same one. Owns what programs may consist of;
// knows nothing of how they are run, nor of what they should do. A body is a list of steps, and a
// step that starts something later has a body of its own, so that any step can be left out.

const { Random } = require('./random.js');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

// How often each step comes up, in a program that favours none.
const STEPS = {
  post: 30,
  yield: 14,
  pause: 8,
  tick: 6,
  micro: 6,
  timer: 8,
  immediate: 8,
  io: 8,
  close: 2,
  idle: 5,
  cancel: 2,
  abort: 4,
  setPriority: 12,
  controller: 3,
  any: 4,
  listen: 2,
  busy: 8,
  slice: 0,
  throw: 0,
};

// Each program favours some steps and has none of others, so that rules meet that seldom would.
const FAVOURS = [0, 1, 1, 1, 4];

const RANKS = [
  PRIORITIES,
  PRIORITIES,
  ['user-visible'],
  ['user-blocking', 'user-visible'],
  ['user-visible', 'background'],
  ['user-blocking', 'background'],
];

const DEEPEST = 6;

// No program uses it up.
const LONG_SLICE = 10_000;

class Generator {
  constructor(seed) {
    this.random = new Random(seed);
    this.stepsLeft = this.random.pick([8, 25, 60, 60, 150]);
    this.priorities = this.random.pick(RANKS);
    this.isSlow = this.random.percent(25);
    this.hasDelays = this.random.percent(60);
    this.weights = {};
    for (const [name, weight] of Object.entries(STEPS)) {
      this.weights[name] = weight * this.random.pick(FAVOURS);
    }
    this.weights.post += 10;
    if (this.random.percent(10)) this.weights.throw = 3;
  }

  program(seed) {
    const { random } = this;
    const slice = random.percent(75) ? LONG_SLICE : random.pick([0.01, 0.2, 1, 5]);
    if (slice !== LONG_SLICE) this.weights.slice = random.pick([0, 2]);
    return {
      seed,
      slice,
      entry: random.pick(['immediate', 'timer', 'io', 'task', 'task', 'close']),
      entryPriority: random.pick(PRIORITIES),
      controllers: Array.from({ length: random.below(4) }, () => this.controller()),
      body: this.body(0, 14),
      isAsync: random.percent(50),
    };
  }

  body(depth, most) {
    if (depth > DEEPEST) return [];
    const steps = [];
    for (let count = 1 + this.random.below(most); count > 0; count--) {
      if (this.stepsLeft <= 0) break;
      this.stepsLeft--;
      const name = this.random.weighted(this.weights);
      steps.push({ name, ...this[name](depth) });
    }
    return steps;
  }

  // A body for something that starts later.
  later(depth) {
    return { body: this.body(depth + 1, 4), isAsync: this.random.percent(50) };
  }

  index() {
    return this.random.below(1000);
  }

  optional(chance, value) {
    return this.random.percent(chance) ? value() : undefined;
  }

  priority() {
    return this.random.pick(this.priorities);
  }

  wait() {
    return this.random.pick([1, 1, 1, 2, 3]);
  }

  post(depth) {
    return {
      priority: this.optional(55, () => this.priority()),
      signal: this.optional(40, () => this.index()),
      delay: this.hasDelays ? this.optional(20, () => this.wait()) : undefined,
      result: this.random.weighted({ value: 6, promise: 3, throw: 2, thenable: 1, never: 1 }),
      onSecond: this.random.percent(15),
      ...this.later(depth),
    };
  }

  yield() {
    const kind = this.random.weighted({ none: 60, priority: 20, signal: 10, both: 10 });
    const hasPriority = kind === 'priority' || kind === 'both';
    const hasSignal = kind === 'signal' || kind === 'both';
    return {
      priority: hasPriority ? this.random.pick([...this.priorities, 'inherit']) : undefined,
      signal: hasSignal ? this.random.pick(['inherit', this.index()]) : undefined,
    };
  }

  pause() {
    const on = this.random.weighted({ reaction: 4, timer: 2, immediate: 2, io: 2, task: 2 });
    return { on, wait: this.wait(), kind: this.ioKind(), priority: this.priority() };
  }

  tick(depth) {
    return this.later(depth);
  }

  micro(depth) {
    return { isReaction: this.random.percent(50), ...this.later(depth) };
  }

  timer(depth) {
    return { wait: this.wait(), ...this.later(depth) };
  }

  immediate(depth) {
    return this.later(depth);
  }

  ioKind() {
    return this.random.pick(['message', 'message', 'stat', 'readFile', 'randomBytes', 'thread']);
  }

  io(depth) {
    return { kind: this.ioKind(), ...this.later(depth) };
  }

  close(depth) {
    return this.later(depth);
  }

  idle(depth) {
    return { timeout: this.optional(30, () => this.wait()), ...this.later(depth) };
  }

  cancel() {
    return { callback: this.index() };
  }

  abort() {
    return { signal: this.index(), isRecent: this.random.percent(50) };
  }

  setPriority() {
    const isRecent = this.random.percent(50);
    return { signal: this.index(), isRecent, priority: this.random.pick(PRIORITIES) };
  }

  controller() {
    return { isPlain: this.random.percent(15), priority: this.random.pick(PRIORITIES) };
  }

  any() {
    return {
      signals: Array.from({ length: this.random.below(4) }, () => this.index()),
      priority: this.optional(25, () => this.random.pick(PRIORITIES)),
      source: this.optional(60, () => this.index()),
    };
  }

  // What a listener for priority changes does.
  listen() {
    return {
      signal: this.index(),
      does: this.random.pick(['post', 'setPriority', 'any']),
      target: this.index(),
      priority: this.random.pick(PRIORITIES),
    };
  }

  busy() {
    const times = this.isSlow ? [50, 300, 1500, 4000] : [5, 20, 150];
    return { microseconds: this.random.pick(times) };
  }

  slice() {
    return { milliseconds: this.random.pick([0.01, 0.2, 1, 5]) };
  }

  throw() {
    return {};
  }
}

function generate(seed) {
  return new Generator(seed).program(seed);
}

module.exports = { LONG_SLICE, PRIORITIES, generate };
