'use strict';

// Random programs of joins, leaves, priority changes, errors, aborted runs, nested shared tasks and
// cycles, against a model. Numbers of tasks, controllers and signals are taken modulo how many
// there are. SCENARIO_SEED and SCENARIO_COUNT choose other programs.
//
// The model gets each step before it is done, and after it all that can be seen of the shared tasks
// has to be what the model says. So it has to be in the listeners that are called meanwhile.
// @host node

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const timers = require('node:timers/promises');
const fc = require('fast-check');
const {
  SharedTask, TaskController, createScheduler, currentTaskSignal, onIdle, scheduler,
} = require('../..');
const { Model, PRIORITIES } = require('../fixtures/shared-tasks/model.js');
const { follow } = require('../helpers/tasks.js');

const COUNT = Number(process.env.SCENARIO_COUNT ?? 300);
const SEED = Number(process.env.SCENARIO_SEED ?? 2026);

const TURNS = {
  microtask: () => null,
  tick: () => new Promise(process.nextTick),
  yield: (own) => own.yield(),
  wait: (own) => own.wait(1),
  immediate: () => timers.setImmediate(),
  timer: () => timers.setTimeout(1),
  background: (own) => own.yield({ priority: 'background' }),
};

const index = fc.nat(5);
const priority = fc.constantFrom(...PRIORITIES);

const step = (name, members) => fc.record({ name: fc.constant(name), ...members });

const join = step('join', {
  task: index,
  // A number stands for the signal of a controller.
  priority: fc.option(fc.oneof(priority, fc.constant('inherit'), index), { nil: undefined }),
  signal: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 4, arbitrary: fc.constantFrom('own', 'own', 'own', 'own', 'aborted') },
    { weight: 1, arbitrary: index },
  ),
  // Whether the code waits for it at once, and whether it fails with it.
  isAwaited: fc.boolean(),
  isCaught: fc.boolean(),
});

const leaves = [
  { weight: 8, arbitrary: join },
  { weight: 5, arbitrary: step('turn', { how: fc.constantFrom('yield', ...Object.keys(TURNS)) }) },
  { weight: 5, arbitrary: step('leave', { signal: fc.nat(20) }) },
  { weight: 3, arbitrary: step('setPriority', { controller: index, priority }) },
  { weight: 1, arbitrary: step('abort', { controller: index }) },
];

// A step at which other steps can begin that are so deep.
function stepOf(depth) {
  if (depth === 0) return fc.oneof(...leaves);
  // A task with a fixed priority, or with the signal of a controller, on one of two schedulers.
  const post = step('post', {
    source: fc.oneof(priority, index),
    isOnSecond: fc.boolean(),
    body: bodyOf(depth - 1),
  });
  return fc.oneof(...leaves, { weight: 4, arbitrary: post });
}

function bodyOf(depth) {
  return fc.array(stepOf(depth), { maxLength: 8 });
}

const sharedTask = fc.record({
  priority,
  abortWhenUnused: fc.boolean(),
  body: bodyOf(1),
  // How a run ends behind its body.
  end: fc.constantFrom('value', 'value', 'throw', 'reason'),
  // Without `await`, the callback returns or throws at once.
  isAsync: fc.constantFrom(true, true, true, false),
});

const program = fc.record({
  tasks: fc.array(sharedTask, { minLength: 1, maxLength: 4 }),
  controllers: fc.array(priority, { minLength: 1, maxLength: 3 }),
  body: fc.array(stepOf(2), { minLength: 1, maxLength: 20 }),
});

// A program whose runs join each other could go on for ever.
const MOST_STEPS = 300;

// Far longer than a program takes, in milliseconds.
const LIMIT = 20_000;

const CYCLE = 'ERR_UV_SCHEDULER_CYCLE';

const schedulers = [scheduler, createScheduler()];
const stores = new AsyncLocalStorage();

// The model's facts about code: the run that it belongs to, if any, where the priority of its joins
// comes from, and the scheduler whose yield() inherits that.
const OUTSIDE = { run: undefined, source: 'user-visible', scheduler };

class Program {
  #model;
  #tasks;
  #controllers;
  // Those of the controllers, and one for each that follows it.
  #signals;
  // Each function ends a wait.
  #leaves = [];
  // By controller: the waits that its signal ends.
  #waits;
  #joins = [];
  // How many promises have not settled, of joins and of tasks.
  #open = 0;
  #steps = 0;
  #failure = undefined;

  constructor({ tasks, controllers }) {
    this.#model = new Model({ tasks, controllers });
    this.#waits = controllers.map(() => []);
    this.#controllers = controllers.map((priority) => new TaskController({ priority }));
    const own = this.#controllers.map(({ signal }) => signal);
    this.#signals = [...own, ...own.map((signal) => follow(signal, [signal]))];
    this.#tasks = tasks.map((task, index) => {
      const { priority, abortWhenUnused } = task;
      return new SharedTask(() => this.#run(task, index), { priority, abortWhenUnused });
    });
    // An error of a listener would end the process: the failure is known without it.
    const check = async () => this.#check('a listener');
    for (const { signal } of this.#controllers) {
      signal.addEventListener('prioritychange', () => void check().catch(() => {}));
    }
  }

  async run(body) {
    await this.#perform(body, OUTSIDE).catch(() => {});
    const end = performance.now() + LIMIT;
    while (this.#open > 0 && performance.now() < end) await timers.setTimeout(1);
    assert.equal(this.#open, 0, 'a join() never settles');
    await onIdle();
    if (this.#failure !== undefined) throw this.#failure;
    for (const { wait, outcome } of this.#joins) {
      assert.deepEqual(outcome, wait.expected);
      assert.equal(outcome[1], wait.expected[1]);
    }
    assert.ok(this.#tasks.every(({ isRunning }) => !isRunning), 'a run is left');
  }

  // A failure in a listener or in a run has to be seen at the end.
  #attempt(call) {
    try {
      return call();
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }

  #check(where) {
    this.#attempt(() => {
      const seen = this.#tasks.map((each) => [each.priority, each.joined, each.isRunning]);
      const expected = this.#model.tasks.map(({ members }) => members);
      assert.deepEqual(seen, expected, `after ${where}`);
    });
  }

  async #perform(body, context) {
    for (const step of body) {
      if (++this.#steps > MOST_STEPS) return;
      const pause = this.#attempt(() => this[step.name](step, context));
      this.#check(step.name);
      if (pause !== undefined) await pause;
    }
  }

  // The callback of a shared task.
  #run({ body, end, isAsync }, index) {
    const run = this.#attempt(() => this.#model.start(this.#model.tasks[index]));
    this.#attempt(() => assert.equal(stores.getStore(), run.store, 'another store'));
    const result = { of: index };
    if (!isAsync) {
      this.#model.end(run, end === 'throw' ? 'rejected' : 'fulfilled', result);
      if (end === 'throw') throw result;
      return result;
    }
    const signal = currentTaskSignal();
    const { abortWhenUnused } = this.#model.tasks[index];
    this.#attempt(() => assert.equal(signal !== undefined, abortWhenUnused));
    const finish = () => {
      this.#attempt(() => assert.equal(signal?.aborted ?? false, run.isAborted));
      if (end === 'reason' && run.isAborted) throw signal.reason;
      if (end === 'throw') throw result;
      return result;
    };
    const context = { run, source: run, scheduler: schedulers[index % 2] };
    const promise = this.#perform(body, context).then(finish);
    // These reactions come right before those of the scheduler.
    promise.then(
      (value) => this.#model.end(run, 'fulfilled', value),
      (error) => this.#model.end(run, 'rejected', reasonOf(error)),
    );
    return promise;
  }

  // The steps, by name.

  join({ task: number, priority, signal: kind, isAwaited, isCaught }, context) {
    const index = number % this.#tasks.length;
    const given = this.#signal(kind);
    const options = { priority, signal: given.signal };
    let source = priority ?? given.controller ?? 'inherit';
    if (typeof priority === 'number') {
      const { controller, signal } = this.#signal(priority);
      options.priority = signal;
      source = controller;
    }
    if (source === 'inherit') source = context.source;
    const store = {};
    const wait = given.reason === undefined
      ? this.#model.join(this.#model.tasks[index], source, context.run, store)
      : { expected: ['rejected', given.reason] };
    if (wait !== undefined) given.keep?.(wait);
    const promise = stores.run(store, () => this.#tasks[index].join(options));
    this.#watch(promise, wait ?? { expected: ['rejected', CYCLE] });
    if (!isAwaited) return undefined;
    return isCaught ? promise.catch(() => {}) : promise;
  }

  #watch(promise, wait) {
    const join = { wait, outcome: undefined };
    this.#joins.push(join);
    this.#count(promise);
    const settle = (how, value) => this.#attempt(() => {
      assert.equal(join.outcome, undefined, 'a join() settles twice');
      join.outcome = [how, value];
    });
    promise.then(
      (value) => settle('fulfilled', value),
      (error) => settle('rejected', reasonOf(error)),
    );
  }

  // A signal of a kind, or of a controller with this number: why it is aborted, if it is, and what
  // notes the wait that it can end.
  #signal(kind) {
    if (kind === undefined) return {};
    if (kind === 'aborted') {
      const reason = new Error('aborted before');
      return { signal: AbortSignal.abort(reason), reason };
    }
    if (kind === 'own') {
      const controller = new AbortController();
      const keep = (wait) => this.#leaves.push(() => {
        const reason = { left: true };
        this.#model.leave(wait, reason);
        controller.abort(reason);
      });
      return { signal: controller.signal, keep };
    }
    const index = kind % this.#controllers.length;
    const signal = this.#signals[kind % this.#signals.length];
    const reason = signal.aborted ? signal.reason : undefined;
    const keep = (wait) => this.#waits[index].push(wait);
    return { signal, reason, keep, controller: this.#model.controllers[index] };
  }

  leave({ signal }) {
    if (this.#leaves.length > 0) this.#leaves.splice(signal % this.#leaves.length, 1)[0]();
  }

  setPriority({ controller: number, priority }) {
    const index = number % this.#controllers.length;
    this.#model.controllers[index].priority = priority;
    this.#controllers[index].setPriority(priority);
  }

  abort({ controller: number }) {
    const index = number % this.#controllers.length;
    const reason = new Error('aborted by a controller');
    for (const wait of this.#waits[index].splice(0)) this.#model.leave(wait, reason);
    this.#controllers[index].abort(reason);
  }

  post({ source, isOnSecond, body }) {
    const own = schedulers[isOnSecond ? 1 : 0];
    const index = source % this.#controllers.length;
    const [options, followed] = typeof source === 'string'
      ? [{ priority: source }, source]
      : [{ signal: this.#controllers[index].signal }, this.#model.controllers[index]];
    const context = { run: undefined, source: followed, scheduler: own };
    const posted = own.postTask(() => {
      const performed = this.#perform(body, context);
      this.#count(performed);
      // A task that has aborted itself does not report the errors that follow.
      return options.signal?.aborted ? performed.catch(() => {}) : performed;
    }, options);
    this.#count(posted);
  }

  // Counts a promise that is open.
  #count(promise) {
    this.#open++;
    const settled = () => this.#open--;
    promise.then(settled, settled);
  }

  // Code whose signal is aborted goes on.
  turn({ how }, { scheduler: own }) {
    return Promise.resolve(TURNS[how](own)).catch(() => {});
  }
}

// An error about a cycle is one of many.
function reasonOf(error) {
  return error?.code === CYCLE ? CYCLE : error;
}

describe('random programs of shared tasks', () => {
  beforeEach(() => onIdle());

  it('settle each join once, with the highest priority at every moment', async () => {
    await fc.assert(fc.asyncProperty(program, (each) => new Program(each).run(each.body)), {
      seed: SEED, numRuns: COUNT,
    });
  }).timeout(30_000 + 100 * COUNT);
});
