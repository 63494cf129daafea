'use strict';

// Random programs, as data: fast-check's arbitraries for them, and the program at a seed and path.
// Owns what programs may consist of; does not know how they are run, nor what they should do.
//
// A body is a list of steps. A step that starts something later has a body of its own, so that a
// failing program is made smaller by leaving steps out. Numbers of signals and idle callbacks are
// taken modulo how many there are.

const fc = require('fast-check');
const { REPEATED } = require('./should-yield-rules.js');
const { FAR, LONG_SLICE, MAX_WAITS, OWN_MAX_WAITS, SHORT_SLICES } = require('./settings.js');

const PRIORITIES = ['user-visible', 'user-blocking', 'background'];

// How often each step comes up in a program that favours none.
const WEIGHTS = {
  post: 30,
  yield: 16,
  wait: 5,
  pieces: 5,
  ask: 8,
  work: 5,
  pause: 8,
  tick: 6,
  micro: 6,
  timer: 8,
  immediate: 8,
  io: 10,
  close: 2,
  idle: 5,
  onIdle: 4,
  join: 6,
  cancel: 2,
  abort: 5,
  setPriority: 12,
  controller: 3,
  any: 5,
  listen: 2,
  busy: 8,
};

// Steps that only some programs have, with their weights: what they do excuses others.
const EXTRAS = [
  {}, {}, {}, {}, {}, {}, { throw: 12 }, { nested: 6 },
  { drain: 8 }, { drain: 8 }, { drain: 8, throw: 6 }, { drain: 4, nested: 6 },
];

// The ends of a task's callback.
const RESULTS = { value: 6, promise: 3, throw: 2, thenable: 1, never: 1 };

const IO_KINDS = [
  'message',
  'thread',
  'socket',
  'request',
  'response',
  'stat',
  'readFile',
  'randomBytes',
  'pbkdf2',
];

const index = fc.nat(7);
const flag = fc.boolean();
const anyPriority = fc.constantFrom(...PRIORITIES);
const wait = fc.constantFrom(1, 1, 1, 2, 3);
const ioKind = fc.constantFrom(...IO_KINDS);

// A value in so many of a hundred cases.
function optional(chance, arbitrary) {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 100 - chance, arbitrary: fc.constant(undefined) },
    { weight: chance, arbitrary },
  );
}

function weighted(weights) {
  const choices = Object.entries(weights).map(([value, weight]) => {
    return { weight, arbitrary: fc.constant(value) };
  });
  return fc.oneof({ withCrossShrink: true }, ...choices);
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
  extras: fc.constantFrom(...EXTRAS),
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
  hasLongSlice: fc.constantFrom(true, true, true, false),
  isBounded: fc.constantFrom(false, false, false, false, false, true),
  // How many of a hundred tasks have a bound of their own.
  ownBounds: fc.constantFrom(0, 0, 0, 0, 30, 80),
});

// The option `ref`.
function reference({ unreferenced }) {
  const given = weighted({ false: 5, true: 1 }).map((text) => text === 'true');
  return unreferenced === 0 ? fc.constant(undefined) : optional(unreferenced, given);
}

// Some of what does not keep the process alive waits for longer than the process lives.
function orFar(arbitrary) {
  return fc.tuple(arbitrary, fc.constantFrom(false, false, false, false, true))
    .map(([step, isFar]) => (isFar && step.ref === false ? { ...step, delay: FAR } : step));
}

// The options of postTask(). 'own' is the signal of the task whose code it is.
function taskOptions(style) {
  const { priorities, hasDelays, ownBounds } = style;
  return {
    ref: reference(style),
    priority: optional(55, fc.constantFrom(...priorities)),
    signal: optional(45, fc.oneof({ weight: 3, arbitrary: index }, fc.constant('own'))),
    delay: hasDelays ? optional(20, wait) : fc.constant(undefined),
    maxWait: ownBounds > 0
      ? optional(ownBounds, fc.constantFrom(...OWN_MAX_WAITS))
      : fc.constant(undefined),
    onSecond: fc.constantFrom(false, false, false, true),
  };
}

// The options of yield() or wait(), or none, and whether the body waits for it at once.
function yieldOptions(style) {
  const { priorities } = style;
  const priority = fc.constantFrom(...priorities, 'inherit');
  const signal = fc.oneof(fc.constant('inherit'), fc.constant('own'), index);
  const given = fc.record({ priority: optional(60, priority), signal: optional(60, signal) });
  return {
    options: optional(55, given),
    ref: reference(style),
    onSecond: fc.constantFrom(false, false, false, true),
    isAwaited: fc.constantFrom(true, true, false),
  };
}

// The reaction of a listener to a change of priority.
const reaction = fc.record({
  does: fc.constantFrom('post', 'setPriority', 'any'),
  target: index,
  priority: anyPriority,
});

// Steps that have no body.
function leaves(style) {
  const own = fc.constantFrom(...style.priorities);
  const times = style.isSlow ? [50, 300, 1500, 4000] : [5, 20, 150];
  // A signal of the program, the one that a task was posted with last, or that of the task.
  const target = { signal: fc.oneof(index, fc.constant('recent'), fc.constant('own')) };
  return {
    yield: step('yield', yieldOptions(style)),
    wait: orFar(step('wait', { delay: fc.constantFrom(0, 0, 1, 2, 3), ...yieldOptions(style) })),
    pieces: step('pieces', { options: yieldOptions(style).options }),
    ask: step('ask', { times: fc.constantFrom(1, REPEATED + 1) }),
    work: step('work', {
      pieces: fc.integer({ min: 1, max: 5 }),
      microseconds: fc.constantFrom(...times),
    }),
    pause: fc.oneof(
      { weight: 4, arbitrary: step('pause', { on: fc.constant('reaction') }) },
      { weight: 2, arbitrary: step('pause', { on: fc.constant('timer'), wait }) },
      { weight: 2, arbitrary: step('pause', { on: fc.constant('immediate') }) },
      { weight: 2, arbitrary: step('pause', { on: fc.constant('io'), kind: ioKind }) },
      { weight: 2, arbitrary: step('pause', { on: fc.constant('task'), priority: own }) },
    ),
    cancel: step('cancel', { callback: index }),
    abort: step('abort', target),
    setPriority: step('setPriority', { ...target, priority: anyPriority }),
    controller: controller.map((made) => ({ name: 'controller', ...made })),
    any: step('any', {
      signals: fc.array(index, { maxLength: 3 }),
      kind: weighted({ none: 2, fixed: 3, followed: 6, plain: 1 }),
      priority: anyPriority,
      source: index,
      listens: optional(50, reaction),
    }),
    listen: step('listen', { signal: index, reaction }),
    busy: step('busy', { microseconds: fc.constantFrom(...times) }),
    slice: step('slice', { milliseconds: fc.constantFrom(...SHORT_SLICES) }),
    throw: step('throw'),
    nested: step('nested', { turns: fc.integer({ min: 1, max: 4 }), hasTicks: flag }),
  };
}

const controller = fc.record({
  isPlain: fc.constantFrom(false, false, false, false, false, true),
  priority: anyPriority,
});

// All steps, where what starts later has a body of the arbitrary `body`.
function steps(style, body) {
  const later = { body, isAsync: flag };
  const results = style.extras.throw ? { ...RESULTS, unhandled: 3 } : RESULTS;
  return {
    ...leaves(style),
    post: orFar(step('post', { ...taskOptions(style), result: weighted(results), ...later })),
    tick: step('tick', later),
    micro: step('micro', { isReaction: flag, ...later }),
    timer: step('timer', { wait, ...later }),
    immediate: step('immediate', { isUnref: fc.constantFrom(false, false, false, true), ...later }),
    io: step('io', { kind: ioKind, ...later }),
    close: step('close', later),
    // The first step that joins a shared task says what its runs do.
    join: step('join', {
      task: index,
      own: anyPriority,
      priority: optional(50, fc.constantFrom(...style.priorities, 'inherit')),
      signal: optional(40, index),
      isAwaited: flag,
      result: weighted(RESULTS),
      ...later,
    }),
    onIdle: step('onIdle', { signal: optional(40, index), ...later }),
    drain: step('drain', {
      priority: optional(70, anyPriority),
      timeout: optional(30, fc.constant(0)),
      signal: optional(20, index),
      ...later,
    }),
    idle: step('idle', { timeout: optional(30, wait), ref: reference(style), ...later }),
  };
}

function bodies(style) {
  const slice = style.hasLongSlice ? 0 : 2;
  const weights = { ...WEIGHTS, ...style.extras, slice };
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
    slice: style.hasLongSlice ? fc.constant(LONG_SLICE) : fc.constantFrom(...SHORT_SLICES),
    maxWait: style.isBounded ? fc.constantFrom(...MAX_WAITS) : fc.constant(undefined),
    hasOwnBounds: fc.constant(style.ownBounds > 0),
    entry: fc.constantFrom('immediate', 'timer', 'io', 'task', 'task', 'close', 'beforeExit'),
    entryPriority: anyPriority,
    controllers: fc.array(controller, { minLength: 1, maxLength: 3 }),
    body: bodies(style),
    isAsync: flag,
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
