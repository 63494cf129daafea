'use strict';

// The step of a random program that joins a shared task. Owns the program's shared tasks, each with
// what waits for its run, by the contract; what a run is to the loop is the model's matter.

const { NO_STATE, RANKS } = require('./states.js');

// The error of a run that would wait for itself.
const CYCLE = (error) => error?.code === 'ERR_UV_SCHEDULER_CYCLE';

// Shared tasks join each other, so later runs have no steps.
const MOST_BODIES = 3;

const COUNT = 3;

// The priority of a run, as what a state follows.
class RunPriority {
  name;
  #own;
  // By join(): what it follows, or its priority.
  #sources = new Map();

  constructor(name, own) {
    this.name = name;
    this.#own = own;
  }

  get priority() {
    const all = Array.from(this.#sources.values(), (source) => source.priority ?? source);
    return [this.#own, ...all].reduce((one, other) => (RANKS[one] > RANKS[other] ? one : other));
  }

  add(join, source) {
    this.#sources.set(join, source);
  }

  delete(join) {
    this.#sources.delete(join);
  }
}

class SharedSteps {
  #api;
  #model;
  #tasks;
  #signals;
  #list = [];
  #names = 0;

  // `tasks` are the TaskSteps.
  constructor({ api, model, tasks, signals }) {
    this.#api = api;
    this.#model = model;
    this.#tasks = tasks;
    this.#signals = signals;
  }

  join(step, context) {
    // The state that the code sees is open.
    if (context.leaks && this.#model.current !== context.activity) return undefined;
    context.leaks = false;
    const model = this.#model;
    const shared = this.#shared(step);
    const signal = step.signal === undefined ? undefined : this.#signals.at(step.signal);
    const entry = model.makeEntry('join', { ...NO_STATE, abortSource: signal?.model });
    const call = () => shared.real.join({ priority: step.priority, signal: signal?.real });
    const before = performance.now();
    let promise;
    if (!model.postCall(entry)) {
      promise = call();
    } else if (this.#isCycle(shared, context)) {
      model.withdraw(entry, ['rejected', CYCLE]);
      entry.reaction = model.micro();
      promise = call();
    } else {
      const isNew = shared.run === undefined;
      const run = shared.run ?? this.#makeRun(shared);
      const source = sourceOf(step, signal?.model, context);
      model.changeRuns(() => this.#enter(run, entry, source, context));
      promise = call();
      if (isNew) model.post(run, before);
    }
    return this.#follow(promise, entry, step);
  }

  #follow(promise, entry, { isAwaited }) {
    const model = this.#model;
    if (isAwaited) {
      return { promise, entry, resume: (how, value) => model.settle(entry, how, value) };
    }
    const settle = (how) => (value) => {
      model.settle(entry, how, value);
      model.leave();
    };
    promise.then(settle('fulfilled'), settle('rejected'));
    return undefined;
  }

  #shared(step) {
    const index = step.task % COUNT;
    this.#list[index] ??= this.#make(step);
    return this.#list[index];
  }

  #make({ own, body, isAsync, result }) {
    const label = `shared${this.#names++}`;
    const callback = () => shared.callback();
    const real = new this.#api.SharedTask(callback, { priority: own, label });
    const shared = {
      label, own, body, isAsync, result, real, run: undefined, bodies: 0, callback: undefined,
    };
    return shared;
  }

  // An entry for the run that is about to begin. The end of the run settles its joins.
  #makeRun(shared) {
    const model = this.#model;
    const { bodies, label, own } = shared;
    const prioritySource = new RunPriority(label, own);
    const state = { ...NO_STATE, prioritySource, priority: undefined };
    const run = model.makeEntry('task', state, { hasPromise: false, label, joins: [] });
    state.run = run;
    run.whenOver = () => this.#end(shared, run);
    const step = { ...shared, body: bodies < MOST_BODIES ? shared.body : [] };
    shared.bodies++;
    shared.run = run;
    shared.callback = this.#tasks.callbackOf(run, step, { state, signal: undefined, leaks: false });
    return run;
  }

  // A join() begins to wait.
  #enter(run, entry, source, { state: { run: asker } }) {
    entry.run = run;
    entry.asker = asker;
    run.joins.push(entry);
    run.state.prioritySource.add(entry, source);
    entry.leave = () => {
      run.joins = run.joins.filter((each) => each !== entry);
      run.state.prioritySource.delete(entry);
    };
  }

  // The run is over. The rest of its chain has its own priority.
  #end(shared, run) {
    const model = this.#model;
    if (shared.run === run) shared.run = undefined;
    model.changeRuns(() => {
      for (const join of run.joins) {
        run.state.prioritySource.delete(join);
        model.withdraw(join, run.expected);
      }
    });
  }

  // Whether the run whose code joins would wait for itself.
  #isCycle({ run: target }, { state: { run: asker } }) {
    if (target === undefined || asker === undefined || asker.isOver) return false;
    const seen = new Set();
    const waitsFor = (run) => {
      if (run === asker) return true;
      if (seen.has(run)) return false;
      seen.add(run);
      const all = this.#list.flatMap((each) => each?.run?.joins ?? []);
      return all.some((join) => join.asker === run && waitsFor(join.run));
    };
    return waitsFor(target);
  }

  // Compares the visible members of the shared tasks with the model.
  check() {
    for (const { label, own, real, run } of this.#list.filter(Boolean)) {
      const expected = run === undefined
        ? [own, 0, false]
        : [run.state.prioritySource.priority, run.joins.length, true];
      const actual = [real.priority, real.joined, real.isRunning];
      if (`${actual}` !== `${expected}`) {
        this.#model.fail('shared', label, `is ${actual}, not ${expected}`);
      }
    }
  }
}

// The priority of a join(), or its source.
function sourceOf({ priority }, signal, { state }) {
  if (priority !== undefined && priority !== 'inherit') return priority;
  const given = priority === undefined && signal?.isTaskSignal ? signal : state;
  return given.prioritySource ?? given.priority;
}

module.exports = { SharedSteps };
