'use strict';

// Random programs, as data: fast-check's arbitraries for them, and the program at a seed and path.
// Owns what programs may consist of; does not know how they are run, nor what they should do.
//
// A body is a list of steps. A step that starts something later has a body of its own, so that a
// failing program is made smaller by leaving steps out. Numbers of signals and idle callbacks are
// taken modulo how many there are.

const fc = require('fast-check');
const { KINDS } = require('./io.js');

const PRIORITIES = ['user-visible', 'user-blocking', 'background'];

// A delay that no program lasts for, in milliseconds.
const FAR = 600_000;

// How often each step comes up in a program that favours none.
const WEIGHTS = {
  post: 30,
  yield: 16,
  wait: 5,
  pause: 8,
  tick: 6,
  micro: 6,
  timer: 8,
  immediate: 8,
  io: 10,
  close: 2,
  idle: 5,
  cancel: 2,
  abort: 2,
  setPriority: 12,
  busy: 8,
};

const index = fc.nat(7);
const flag = fc.boolean();
const anyPriority = fc.constantFrom(...PRIORITIES);
const wait = fc.constantFrom(1, 1, 1, 2, 3);
const ioKind = fc.constantFrom(...KINDS);

// A value in so many of a hundred cases.
function optional(chance, arbitrary) {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 100 - chance, arbitrary: fc.constant(undefined) },
    { weight: chance, arbitrary },
  );
}

function step(name, members = {}) {
  return fc.record({ name: fc.constant(name), ...members });
}

// The kinds of programs. Each kind favours some steps and omits others, so that rules meet that
// would seldom meet in an even mixture.
const style = fc.record({
  favours: fc.record(
    Object.fromEntries(Object.keys(WEIGHTS).map((name) => [name, fc.constantFrom(0, 1, 1, 1, 4)])),
  ),
  priorities: fc.constantFrom(
    PRIORITIES,
    PRIORITIES,
    ['user-visible'],
    ['user-visible', 'user-blocking'],
    ['user-visible', 'background'],
    ['user-blocking', 'background'],
  ),
  depth: fc.constantFrom(1, 3, 4, 5),
  isSlow: fc.constantFrom(false, false, false, true),
  hasDelays: flag,
  // How many of a hundred entries do not keep the process alive.
  unreferenced: fc.constantFrom(0, 0, 15, 50, 100),
});

// Some of what does not keep the process alive waits for longer than the process lives.
function orFar(arbitrary) {
  return fc.tuple(arbitrary, fc.constantFrom(false, false, false, false, true))
    .map(([step, isFar]) => (isFar && step.ref === false ? { ...step, delay: FAR } : step));
}

// All steps, where what starts later has a body of the arbitrary `body`.
function steps(style, body) {
  const { hasDelays, isSlow, priorities, unreferenced } = style;
  const own = fc.constantFrom(...priorities);
  const ref = optional(unreferenced, fc.constantFrom(false, false, false, false, false, true));
  const continuation = {
    priority: optional(35, own),
    signal: optional(30, index),
    ref,
    // Whether the body waits for it at once.
    isAwaited: fc.constantFrom(true, true, false),
  };
  const times = isSlow ? [50, 300, 1500, 4000] : [5, 20, 150];
  return {
    post: orFar(step('post', {
      priority: optional(55, own),
      signal: optional(45, index),
      delay: optional(hasDelays ? 20 : 0, wait),
      ref,
      throws: fc.constantFrom(false, false, false, true),
      body,
    })),
    yield: step('yield', continuation),
    wait: orFar(step('wait', { delay: fc.constantFrom(0, 0, 1, 2, 3), ...continuation })),
    pause: fc.oneof(
      { weight: 4, arbitrary: step('pause', { on: fc.constant('reaction') }) },
      { weight: 2, arbitrary: step('pause', { on: fc.constant('timer'), wait }) },
      { weight: 2, arbitrary: step('pause', { on: fc.constant('immediate') }) },
      { weight: 2, arbitrary: step('pause', { on: fc.constant('io'), kind: ioKind }) },
    ),
    tick: step('tick', { body }),
    micro: step('micro', { isReaction: flag, body }),
    timer: step('timer', { wait, body }),
    immediate: step('immediate', { isUnref: fc.constantFrom(false, false, false, true), body }),
    io: step('io', { kind: ioKind, body }),
    close: step('close', { body }),
    idle: step('idle', { timeout: optional(30, wait), ref, body }),
    cancel: step('cancel', { callback: index }),
    abort: step('abort', { signal: index }),
    setPriority: step('setPriority', { signal: index, priority: anyPriority }),
    busy: step('busy', { microseconds: fc.constantFrom(...times) }),
  };
}

function bodies(style) {
  const weights = { ...WEIGHTS };
  for (const [name, favour] of Object.entries(style.favours)) weights[name] *= favour;
  weights.post += 10;
  let body = fc.constant([]);
  for (let depth = style.depth; depth >= 0; depth--) {
    const choices = Object.entries(steps(style, body))
      .filter(([name]) => weights[name] > 0)
      .map(([name, arbitrary]) => ({ weight: weights[name], arbitrary }));
    const lengths = depth === 0 ? { minLength: 1, maxLength: 12 } : { maxLength: 4 };
    body = fc.array(fc.oneof(...choices), { ...lengths, size: 'max' });
  }
  return body;
}

const program = fc.noShrink(style).chain((style) => {
  return fc.record({
    entry: fc.constantFrom('immediate', 'timer', 'io', 'task', 'task', 'close', 'beforeExit'),
    entryPriority: anyPriority,
    // The priorities of its signals.
    signals: fc.array(anyPriority, { minLength: 1, maxLength: 4 }),
    body: bodies(style),
  });
});

// How fast-check is called everywhere, so that a seed and a path always name the same program.
function parameters({ seed, path = '' }) {
  return { seed, path, unbiased: true };
}

// Programs `first` to `first + count - 1` of a seed, or the one at a path.
function sample({ seed, path, first = 0, count = 1 }) {
  const from = path ?? String(first);
  return fc.sample(program, { ...parameters({ seed, path: from }), numRuns: count });
}

module.exports = { parameters, program, sample };
