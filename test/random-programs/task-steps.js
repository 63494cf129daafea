'use strict';

// The steps of a random program that call the scheduler: tasks, continuations, idle callbacks. Owns
// the options that it is given, and the scheduling state that follows from them.

const { isPending, owner, whenSettled, withPromises } = require('./hooks.js');
const { spin } = require('./loop-steps.js');
const { REPEATED } = require('./should-yield-rules.js');
const { isInExpiry, isInTick } = require('./stack.js');
const { NO_STATE, stateFromOptions, stateOfContinuation } = require('./states.js');

// Tasks without a label have no name either.
const LABELS = ['render', undefined, 'index', 'mail', 'report'];

class TaskSteps {
  #api;
  #model;
  #runBody;
  #bodyOf;
  #schedulers;
  #signals;
  #idleCallbacks = [];
  #posts = 0;

  constructor({ api, model, runBody, bodyOf, signals }) {
    this.#api = api;
    this.#model = model;
    this.#runBody = runBody;
    this.#bodyOf = bodyOf;
    this.#schedulers = { first: api.scheduler, second: api.createScheduler() };
    this.#signals = signals;
  }

  #scheduler(step) {
    return isOnSecond(step) ? this.#schedulers.second : this.#schedulers.first;
  }

  // The signal that a step names, if there is one.
  #signal(name, context) {
    if (name === undefined) return undefined;
    return name === 'own' ? context.signal : this.#signals.at(name);
  }

  post(step, context) {
    this.postTask(step, context);
  }

  // Returns the promise of the task, unless no code is to handle it.
  postTask(step, context) {
    const { priority, delay, ref, result } = step;
    const maxWait = step.maxWait && Number(step.maxWait);
    const model = this.#model;
    const signal = this.#signal(step.signal, context);
    const isOfSecond = isOnSecond(step);
    const state = { ...stateFromOptions(signal?.model, priority), isOfSecond, maxWait };
    const hasPromise = result !== 'unhandled';
    const isReferenced = ref !== false;
    const label = LABELS[this.#posts++ % LABELS.length];
    const extra = { delay: delay ?? 0, hasPromise, isReferenced, label, maxWait };
    const entry = model.makeEntry('task', state, extra);
    const options = { priority, delay, label, ref, maxWait };
    if (signal !== undefined) options.signal = signal.real;
    this.#signals.recent = signal ?? this.#signals.recent;
    const callback = this.callbackOf(entry, step, { state, signal, leaks: false });
    const before = performance.now();
    const promise = this.#scheduler(step).postTask(callback, options);
    entry.promise = promise;
    model.post(entry, before);
    if (!hasPromise) return undefined;
    this.#handle(promise, entry);
    return promise;
  }

  // Tells the model what becomes of a promise that no body waits for.
  #handle(promise, entry) {
    const settle = (how) => (value) => {
      this.#model.settle(entry, how, value);
      this.#model.leave();
    };
    promise.then(settle('fulfilled'), settle('rejected'));
  }

  // The callback of a task that is posted by the code that asks for it.
  callbackOf(entry, step, context) {
    const model = this.#model;
    const stored = owner.getStore();
    return () => {
      model.start(entry, isInTick());
      if (model.isOver) {
        model.taskIsOver(entry, 'completed');
        return undefined;
      }
      model.enter('task');
      if (owner.getStore() !== stored) model.fail('storage', entry.name, 'has another value');
      const run = () => owner.run(entry, () => {
        return this.#runBody(step, { ...context, activity: model.current });
      });
      return model.inside(() => this.#result(entry, step.result, run));
    };
  }

  // The return value of a task's callback; `run` runs its body.
  #result(entry, result, run) {
    const value = { of: entry.name };
    const model = this.#model;
    if (result === 'thenable') return this.#thenable(entry, value, run);
    const promise = run();
    switch (result) {
      case 'promise':
        entry.body = this.#bodyOf(promise);
        model.end(entry, ['fulfilled', value], false);
        return this.#told(entry, Promise.race([promise, model.ended]).then(() => value));
      case 'never':
        model.end(entry, ['never'], false);
        return this.#told(entry, model.ended);
      case 'throw':
        model.end(entry, ['rejected', value], true);
        throw value;
      case 'unhandled': {
        // Node makes an error of anything else.
        const error = new Error(`thrown by ${entry.name}`);
        model.end(entry, ['rejected', error], true);
        throw error;
      }
      default:
        model.end(entry, ['fulfilled', value], true);
        return value;
    }
  }

  // Tells the model that a promise has settled, right before the scheduler reacts.
  #told(entry, promise) {
    const told = promise.then((value) => value);
    told.then(() => this.#model.taskIsOver(entry, 'completed'));
    return told;
  }

  // A result whose `then` runs the body, in a microtask of the task.
  #thenable(entry, value, run) {
    const model = this.#model;
    model.end(entry, ['fulfilled', value], false);
    const queued = model.micro();
    const then = (resolve) => {
      model.run(queued);
      model.inside(run);
      Promise.resolve().then(() => model.taskIsOver(entry, 'completed'));
      resolve(value);
    };
    return { then };
  }

  yield(step, context) {
    return this.#continue(step, context, 0, (scheduler, options) => scheduler.yield(options));
  }

  wait(step, context) {
    const { delay } = step;
    return this.#continue(step, context, delay, (scheduler, options) => {
      return scheduler.wait(delay, options);
    });
  }

  // Calls yield() or wait(), which `call` does.
  #continue(step, context, delay, call) {
    const options = this.#yieldOptions(step, context);
    const signal = options?.signal === 'inherit' ? 'inherit' : options?.signal?.model;
    // A chain has a state only for the scheduler that began it; a shared task has none.
    const { isOfSecond, run } = context.state;
    const isOwn = run !== undefined || isOnSecond(step) === Boolean(isOfSecond);
    const inherited = isOwn ? context.state : NO_STATE;
    const state = stateOfContinuation(signal, options?.priority, inherited);
    // Whether the bound of the chain is seen is as open as the state.
    const isBoundOpen = this.#isLeaking(context);
    // Code that asks for the inherited state in the callback itself drops it, also for all that the
    // callback starts from here on.
    if (inherits(options)) context.leaks = false;
    const model = this.#model;
    const maxWait = isBoundOpen ? context.leakedMaxWait : inherited.maxWait;
    const extra = { delay, isReferenced: step.ref !== false, maxWait, isBoundOpen };
    const entry = model.makeEntry('yield', state, extra);
    const before = performance.now();
    const promise = call(this.#scheduler(step), toArgument(options, step.ref));
    model.post(entry, before);
    if (entry.expected === undefined) {
      whenSettled(promise, () => {
        // The entry was aborted, or a draining rejects it.
        if (entry.expected !== undefined || isInExpiry()) return;
        model.start(entry, isInTick());
        model.end(entry, ['fulfilled', undefined], true);
      });
    }
    if (step.isAwaited) {
      return { promise, entry, resume: (how, value) => model.settle(entry, how, value) };
    }
    this.#handle(promise, entry);
    return undefined;
  }

  // The options of a yield() or wait(), with signals as the program has them, if there are any.
  #yieldOptions({ options }, context) {
    const { priority, signal: name } = options ?? {};
    const signal = name === 'inherit' ? name : this.#signal(name, context);
    const given = options && { priority, signal };
    if (this.#isLeaking(context) && inherits(given)) return { priority: 'user-visible' };
    return given;
  }

  // Whether it is open which scheduling state the code sees.
  #isLeaking({ leaks, activity }) {
    return leaks && this.#model.current !== activity;
  }

  // Reads the first item of pieces(), and waits for a reaction: who asks for the next one at once
  // would wait for a tick.
  firstPiece({ options }, context) {
    context.opened = undefined;
    if (this.#isLeaking(context)) return undefined;
    const given = this.#piecesOptions(options, context);
    const state = stateOfPieces(given, context.state);
    // A rejection comes some microtasks after that of others, as the source is closed before.
    if (state.abortSource !== undefined) return undefined;
    // Asking for the inherited state drops it.
    context.leaks = false;
    const iterator = this.#api.pieces([1, 2], { ...given, signal: given.signal?.real });
    iterator.next();
    context.opened = { iterator, state, maxWait: context.state.maxWait };
    const model = this.#model;
    const queued = model.micro();
    return { promise: Promise.resolve(), resume: () => model.run(queued) };
  }

  // Reads the second item. Before it a continuation may be queued, and then the body waits for it.
  secondPiece(step, context) {
    if (context.opened === undefined) return undefined;
    const { iterator, state, maxWait } = context.opened;
    const before = performance.now();
    const { result: promise, promises } = withPromises(() => iterator.next());
    if (!isPending(promise)) return undefined;
    const model = this.#model;
    const entry = model.makeEntry('yield', state, { delay: 0, isReferenced: true, maxWait });
    model.post(entry, before);
    const taken = promise.then(({ value }) => {
      if (value !== 2) model.fail('pieces', `gave ${value} as its second item`);
    });
    // The first of them to settle is that of the continuation.
    const start = () => {
      if (entry.isStarted || entry.expected !== undefined || isInExpiry()) return;
      model.start(entry, isInTick());
      model.end(entry, ['fulfilled', undefined], true);
    };
    for (const each of promises) whenSettled(each, start);
    return { promise: taken, entry, resume: (how, value) => model.settle(entry, how, value) };
  }

  #piecesOptions({ priority, signal: name } = {}, context) {
    const signal = name === 'inherit' ? undefined : this.#signal(name, context);
    return { priority: priority === 'inherit' ? undefined : priority, signal };
  }

  ask({ times }, context) {
    const state = this.#isLeaking(context) ? undefined : context.state;
    const before = performance.now();
    let answer;
    for (let index = 0; index < times; index++) answer = this.#api.shouldYield();
    this.#model.ask({ answer, state, times, before });
  }

  // Work in pieces, with a question behind each that gets an answer of its own.
  work({ pieces, microseconds }, context) {
    for (let piece = 0; piece < pieces; piece++) {
      spin(microseconds);
      this.ask({ times: REPEATED + 1 }, context);
    }
  }

  idle(step, context) {
    const model = this.#model;
    // A state that a callback of the loop has leaked is seen in the whole idle callback.
    const { leaksOwner } = context;
    const state = { ...NO_STATE, priority: 'background' };
    const isReferenced = step.ref !== false;
    const idle = model.makeEntry('idle', state, { hasPromise: false, isReferenced });
    const timeout = step.timeout ?? 0;
    let late;
    if (timeout > 0) {
      const extra = { hasPromise: false, isReferenced, delay: timeout, twin: idle };
      late = model.makeEntry('late', NO_STATE, extra);
      idle.twin = late;
    }
    const before = performance.now();
    const handle = this.#api.requestIdleCallback((deadline) => {
      model.start(deadline.didTimeout ? late : idle, isInTick());
      if (model.isOver) return;
      const activity = model.enter('task');
      const left = deadline.timeRemaining();
      if (!(left >= 0 && left <= 50)) model.fail('idle', 'time remaining:', left);
      const safe = leaksOwner ? undefined : activity;
      const own = { state, leaks: false, leaksOwner, activity: safe };
      model.inside(() => this.#runBody(step, own, true));
    }, step.timeout === undefined && isReferenced ? undefined : { timeout, ref: step.ref });
    model.post(idle, before);
    if (late !== undefined) model.post(late, before);
    this.#idleCallbacks.push({ idle, handle });
  }

  cancel({ callback }) {
    if (this.#idleCallbacks.length === 0) return;
    const { idle, handle } = this.#idleCallbacks[callback % this.#idleCallbacks.length];
    this.#model.cancel(idle);
    this.#api.cancelIdleCallback(handle);
  }

  slice({ milliseconds }) {
    this.#api.configure({ timeSlice: milliseconds });
  }
}

// Whether a yield() with these options asks for the scheduling state.
function inherits({ priority, signal } = {}) {
  const isBare = priority === undefined && signal === undefined;
  return isBare || priority === 'inherit' || signal === 'inherit';
}

// The scheduling state of the continuations of pieces(): what is not given is inherited.
function stateOfPieces({ priority, signal }, inherited) {
  if (signal === undefined) return stateOfContinuation('inherit', priority, inherited);
  const hasOwn = priority !== undefined || signal.model.isTaskSignal;
  return stateOfContinuation(signal.model, hasOwn ? priority : 'inherit', inherited);
}

// The argument of yield().
function toArgument(options, ref) {
  if (options === undefined && ref === undefined) return undefined;
  const { priority, signal } = options ?? {};
  return { priority, ref, signal: signal?.real ?? signal };
}

function isOnSecond({ onSecond }) {
  return onSecond === true;
}

module.exports = { TaskSteps };
