'use strict';

// The order in which tasks and continuations start, their priorities and their ends, by random
// programs that a model judges: several schedulers, signals of every kind, inherited states,
// changes of priority and aborts, outside of tasks and inside. event-loop.test.js tests the order
// among timers and I/O, scheduling-state.test.js how a state follows asynchronous code.

const assert = require('node:assert/strict');
const fc = require('fast-check');
const { TaskController, TaskSignal, createScheduler, onIdle, scheduler } = require('../..');
const { PRIORITIES, follow } = require('../helpers/tasks.js');
const {
  NO_STATE, rank, stateFromOptions, stateOfContinuation,
} = require('../random-programs/states.js');

const RUNS = 300;
const SCHEDULERS = [scheduler, createScheduler(), createScheduler()];

const maybe = (arbitrary) => fc.option(arbitrary, { nil: undefined });
const priority = fc.constantFrom(...PRIORITIES);
const number = fc.nat(6);

// A step of a program. Tasks and continuations perform steps themselves, down to this depth.
function stepOf(depth) {
  const step = (name, members) => fc.record({ name: fc.constant(name), ...members });
  const body = depth === 0 ? fc.constant([]) : fc.array(stepOf(depth - 1), { maxLength: 4 });
  const inherit = fc.constant('inherit');
  return fc.oneof(
    { weight: 6, arbitrary: step('post', {
      on: number, priority: maybe(priority), signal: maybe(number), throws: fc.boolean(), body,
    }) },
    { weight: 4, arbitrary: step('yield', {
      on: number,
      priority: maybe(fc.oneof(priority, inherit)),
      signal: maybe(fc.oneof(number, inherit)),
      body,
    }) },
    { weight: 3, arbitrary: step('setPriority', { controller: fc.nat(1), priority }) },
    { weight: 1, arbitrary: step('abort', { controller: fc.nat(2) }) },
  );
}

const programs = fc.array(stepOf(2), { minLength: 1, maxLength: 15, size: 'max' });

// Options that say the same, by a number.
function optionsOf(priority, signal, form) {
  const isGiven = priority !== undefined || signal !== undefined;
  return isGiven ? { priority, signal } : [{ priority, signal }, undefined, null, {}][form % 4];
}

// Performs the steps of a program, and judges what starts and how it ends.
class Program {
  #controllers = [
    new TaskController({ priority: 'user-blocking' }),
    new TaskController({ priority: 'background' }),
    new AbortController(),
  ];
  // The followers of a controller, with the priority that the steps have set.
  #followed = [{ priority: 'user-blocking' }, { priority: 'background' }];
  // By signal: the priority that it gives, if any, and the controller that aborts it.
  #signals;
  #queue = [];
  #entries = [];
  // The entries that have started, and those that should have, by their numbers in the order of
  // posting.
  #started = [];
  #expected = [];

  constructor() {
    const [first, second, plain] = this.#controllers;
    const [ofFirst, ofSecond] = this.#followed;
    this.#signals = [
      { real: first.signal, prioritySource: ofFirst, controller: 0 },
      { real: second.signal, prioritySource: ofSecond, controller: 1 },
      { real: plain.signal, controller: 2 },
      { real: follow(follow('background'), [second.signal]), priority: 'background',
        controller: 1 },
      { real: follow(follow(first.signal), [plain.signal]), prioritySource: ofFirst,
        controller: 2 },
      { real: follow(second.signal, [second.signal]), prioritySource: ofSecond, controller: 1 },
      { real: TaskSignal.any([plain.signal]), priority: 'user-visible', controller: 2 },
    ].map((signal) => ({ ...signal, rejected: [], expected: [] }));
  }

  async run(steps) {
    this.perform(steps);
    await onIdle();
    assert.deepEqual(this.#started, this.#expected, 'the order of the starts');
    assert.deepEqual(this.#queue, [], 'what never starts');
    for (const { outcome, expected } of this.#entries) {
      assert.deepEqual(outcome, expected);
      assert.equal(outcome[1], expected[1]);
    }
    for (const { rejected, expected } of this.#signals) assert.deepEqual(rejected, expected);
  }

  // `around` is the entry whose code performs the steps.
  perform(steps, around = undefined) {
    for (const step of steps) this[step.name](step, around);
  }

  post({ on, priority, signal: index, throws, body }) {
    const signal = this.#signals[index];
    const state = stateFromOptions(signal, priority);
    const entry = this.#add({ state, on: on % SCHEDULERS.length });
    const error = new Error('thrown');
    const callback = () => {
      this.#start(entry, throws ? ['rejected', error] : ['fulfilled', entry.number]);
      this.perform(body, entry);
      entry.isRunning = false;
      if (throws) throw error;
      return entry.number;
    };
    const options = optionsOf(priority, signal?.real, body.length);
    this.#watch(entry, SCHEDULERS[entry.on].postTask(callback, options));
  }

  yield({ on: index, priority, signal: given, body }, around) {
    const on = index % SCHEDULERS.length;
    const signal = this.#signals[given] ?? given;
    const inherited = around?.on === on ? around.state : NO_STATE;
    const state = stateOfContinuation(signal, priority, inherited);
    const entry = this.#add({ state, on, isContinuation: true });
    const options = optionsOf(priority, signal?.real ?? signal, body.length);
    const promise = SCHEDULERS[on].yield(options);
    this.#watch(entry, promise);
    promise.then(() => {
      this.#start(entry, ['fulfilled', undefined]);
      entry.isRunning = false;
      // The reaction has the state of the code that has registered it.
      this.perform(body, around);
    }, () => {});
  }

  setPriority({ controller, priority }) {
    this.#followed[controller].priority = priority;
    this.#controllers[controller].setPriority(priority);
  }

  abort({ controller: index }) {
    const controller = this.#controllers[index];
    const reason = { aborted: index };
    if (!controller.signal.aborted) {
      for (const entry of this.#entries) {
        const isOpen = entry.isRunning || this.#queue.includes(entry);
        const isOfSignal = entry.state.abortSource?.controller === index;
        if (isOpen && isOfSignal) this.#reject(entry, reason);
      }
    }
    controller.abort(reason);
  }

  #reject(entry, reason) {
    this.#queue = this.#queue.filter((each) => each !== entry);
    entry.expected = ['rejected', reason];
    entry.state.abortSource.expected.push(entry.number);
  }

  #add(entry) {
    entry.number = this.#entries.push(entry);
    this.#queue.push(entry);
    const signal = entry.state.abortSource?.real;
    if (signal?.aborted) this.#reject(entry, signal.reason);
    return entry;
  }

  // The oldest of the highest effective priority is the one that starts.
  #start(entry, expected) {
    const highest = Math.max(...this.#queue.map(rank));
    this.#expected.push(this.#queue.find((each) => rank(each) === highest)?.number);
    this.#started.push(entry.number);
    this.#queue = this.#queue.filter((each) => each !== entry);
    entry.isRunning = true;
    entry.expected = expected;
  }

  #watch(entry, promise) {
    promise.then(
      (value) => (entry.outcome = ['fulfilled', value]),
      (reason) => {
        entry.outcome = ['rejected', reason];
        const { abortSource } = entry.state;
        if (reason?.aborted !== undefined) abortSource.rejected.push(entry.number);
      },
    );
  }
}

describe('tasks and continuations in random programs', () => {
  beforeEach(() => onIdle());

  it('start by effective priority and age, and end as their callbacks or signals say', async () => {
    await fc.assert(fc.asyncProperty(programs, (steps) => new Program().run(steps)), {
      numRuns: RUNS,
    });
  });
});
