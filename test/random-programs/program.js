'use strict';

// Runs a random program on the real loop. Owns what each step does, the scheduling state that each
// piece of the program has by the contract, and the telling: the model hears of everything before
// or as it happens. Knows nothing of the rules.
//
// A context goes along with the program's code: `state` is the scheduling state; `leaks` says that
// the state of a task may be seen again in what a callback of the loop leads to (a known limit),
// and `activity` is then the part of that callback which is safe. What is thrown in `throwing` is
// an uncaught exception.

const { AsyncLocalStorage } = require('node:async_hooks');
const crypto = require('node:crypto');
const fs = require('node:fs');
const v8 = require('node:v8');
const { NO_STATE } = require('./model.js');
const { SignalSteps } = require('./signal-steps.js');

const storage = new AsyncLocalStorage();

// By promise: the continuations that wait. When one starts its promise is resolved, but code of
// the program only runs a reaction later, and ticks of others may come before.
const continuations = new WeakMap();

v8.promiseHooks.onSettled((promise) => {
  const entry = continuations.get(promise);
  if (entry === undefined) return;
  continuations.delete(promise);
  entry.onSettled();
});

// Whether what runs is called by Node's queue of ticks.
function isInTick() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = (_, frames) => frames;
  Error.stackTraceLimit = 50;
  const { stack } = new Error();
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return stack.some((frame) => frame.getFunctionName() === 'processTicksAndRejections');
}

function busy(microseconds) {
  const end = performance.now() + microseconds / 1000;
  while (performance.now() < end);
}

class Program {
  #api;
  #model;
  #io;
  #second;
  #signals;
  #idleCallbacks = [];

  constructor({ api, model, io }) {
    this.#api = api;
    this.#model = model;
    this.#io = io;
    this.#second = api.createScheduler();
    const post = (signal) => this.#post({ signal, result: 'value', body: [] });
    this.#signals = new SignalSteps({ api, model, post });
  }

  // Runs a whole program inside the activity under way.
  main(program, state = NO_STATE) {
    for (const each of program.controllers) this.#signals.controller(each);
    this.#body(program, { state, leaks: false, activity: this.#model.current });
  }

  // Bodies.

  // Returns a promise if the body goes on after this activity.
  #body({ body, isAsync }, context) {
    return isAsync ? this.#await(body, context) : this.#chain(body, context, 0);
  }

  #chain(steps, context, begin) {
    for (let index = begin; index < steps.length; index++) {
      const pause = this.#step(steps[index], context);
      if (pause === undefined) continue;
      const goOn = (how) => (value) => {
        pause.resume(how, value);
        try {
          return this.#chain(steps, context, index + 1);
        } finally {
          this.#model.leave();
        }
      };
      return pause.promise.then(goOn('fulfilled'), goOn('rejected'));
    }
    return undefined;
  }

  async #await(steps, context) {
    let hasResumed = false;
    try {
      for (const step of steps) {
        const pause = this.#step(step, context);
        if (pause === undefined) continue;
        if (hasResumed) this.#model.leave();
        hasResumed = false;
        let how = 'fulfilled';
        let value;
        try {
          value = await pause.promise;
        } catch (reason) {
          how = 'rejected';
          value = reason;
        }
        pause.resume(how, value);
        hasResumed = true;
      }
    } finally {
      if (hasResumed) this.#model.leave();
    }
  }

  #step(step, context) {
    // An exception is for the callback itself; in what follows it would be a rejection.
    if (step.name === 'throw') return this.#throw(context);
    this.#model.trace.push(' ', step);
    return this[step.name](step, context);
  }

  #throw(context) {
    const { current } = this.#model;
    if (context.throwing === undefined || context.throwing !== current) return;
    const error = new Error('thrown by the program');
    this.#model.throws(error);
    throw error;
  }

  // The context of a tick or microtask that is queued here.
  #sameChain(context) {
    return { ...context, activity: undefined };
  }

  // The context of a callback of the loop that is set here.
  #ofCallback(context) {
    const { state } = context;
    const hasState = state.abortSource ?? state.prioritySource ?? state.priority !== 'user-visible';
    return { ...context, state: NO_STATE, leaks: context.leaks || Boolean(hasState) };
  }

  // Whether the state here is open.
  #isLeaking(context) {
    return context.leaks && this.#model.current !== context.activity;
  }

  // Runs a body in the activity that was just entered.
  #enterBody(later, context, mayThrow = false) {
    try {
      const throwing = mayThrow ? this.#model.current : undefined;
      return this.#body(later, { ...context, throwing });
    } finally {
      this.#model.leave();
    }
  }

  // Tasks.

  post(step) {
    this.#post(step);
  }

  #post(step) {
    const { priority, delay, result } = step;
    const signal = step.signal === undefined ? undefined : this.#signals.at(step.signal);
    const model = this.#model;
    const state = stateFromOptions(signal?.model, priority);
    const entry = model.makeEntry('task', state, { delay: delay ?? 0 });
    const value = { of: entry.name };
    const stored = storage.getStore();
    const callback = () => {
      model.start(entry, isInTick());
      model.enter('task');
      if (storage.getStore() !== stored) model.fail('storage', entry.name, 'has another value');
      entry.isRunning = true;
      let promise;
      try {
        const inner = { state, leaks: false, activity: model.current };
        promise = storage.run(entry.name, () => this.#body(step, inner));
        return this.#result(entry, result, value, promise);
      } finally {
        model.leave();
      }
    };
    const scheduler = step.onSecond ? this.#second : this.#api.scheduler;
    const options = { priority, delay };
    if (signal !== undefined) options.signal = signal.real;
    this.#signals.recent = signal ?? this.#signals.recent;
    const before = performance.now();
    const promise = scheduler.postTask(callback, options);
    model.post(entry, before);
    const settle = (how) => (settled) => {
      model.settle(entry, how, settled);
      model.leave();
    };
    promise.then(settle('fulfilled'), settle('rejected'));
    return promise;
  }

  // What the callback of a task returns.
  #result(entry, result, value, promise) {
    const fulfilled = ['fulfilled', value];
    switch (result) {
      case 'promise':
        this.#model.end(entry, fulfilled, false);
        return Promise.resolve(promise).then(() => value);
      case 'thenable':
        this.#model.end(entry, fulfilled, false);
        return { then: (resolve) => resolve(value) };
      case 'never':
        this.#model.end(entry, ['never'], false);
        return new Promise(() => {});
      case 'throw':
        this.#model.end(entry, ['rejected', value], true);
        throw value;
      default:
        this.#model.end(entry, fulfilled, true);
        return value;
    }
  }

  yield(step, context) {
    const { priority } = step;
    const model = this.#model;
    const options = {};
    if (priority !== undefined) options.priority = priority;
    let signal = step.signal;
    if (typeof signal === 'number') {
      signal = this.#signals.at(signal)?.model;
      if (signal !== undefined) options.signal = this.#signals.at(step.signal).real;
    } else if (signal === 'inherit') {
      options.signal = 'inherit';
    }
    const isBare = options.signal === undefined && priority === undefined;
    let inherits = isBare || priority === 'inherit' || signal === 'inherit';
    if (inherits && this.#isLeaking(context)) {
      options.priority = 'user-visible';
      delete options.signal;
      signal = undefined;
      inherits = false;
    }
    // Asking for it in the callback itself drops the state, also for what it leads to from here on.
    if (inherits) context.leaks = false;
    const state = stateOfContinuation(signal, options.priority, context.state);
    const entry = model.makeEntry('yield', state);
    const promise = isBare && inherits ? this.#api.scheduler.yield() : this.#yield(options);
    model.post(entry);
    entry.onSettled = () => {
      if (entry.expected !== undefined) return;
      model.start(entry, isInTick());
      model.end(entry, ['fulfilled', undefined], true);
    };
    if (entry.expected === undefined) continuations.set(promise, entry);
    return { promise, resume: (how, value) => model.settle(entry, how, value) };
  }

  #yield(options) {
    return this.#api.scheduler.yield(options);
  }

  idle(step) {
    const model = this.#model;
    const state = { ...NO_STATE, priority: 'background' };
    const idle = model.makeEntry('idle', state, { hasPromise: false });
    const inner = { state, leaks: false };
    const timeout = step.timeout ?? 0;
    let late;
    if (timeout > 0) {
      late = model.makeEntry('late', NO_STATE, { hasPromise: false, delay: timeout, twin: idle });
      idle.twin = late;
    }
    const before = performance.now();
    const handle = this.#api.requestIdleCallback((deadline) => {
      model.start(deadline.didTimeout ? late : idle, isInTick());
      model.enter('task');
      const left = deadline.timeRemaining();
      if (!(left >= 0 && left <= 50)) model.fail('idle', 'time remaining:', left);
      this.#enterBody(step, inner);
    }, step.timeout === undefined ? undefined : { timeout });
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

  // Ticks, microtasks and callbacks of the loop.

  tick(step, context) {
    const queued = this.#model.tick();
    const inner = this.#sameChain(context);
    process.nextTick(() => {
      this.#model.run(queued);
      this.#enterBody(step, inner, true);
    });
  }

  micro(step, context) {
    const queued = this.#model.micro();
    const inner = this.#sameChain(context);
    const callback = () => {
      this.#model.run(queued);
      this.#enterBody(step, inner, !step.isReaction);
    };
    if (step.isReaction) Promise.resolve().then(callback);
    else queueMicrotask(callback);
  }

  timer(step, context) {
    const record = this.#model.expect('timer');
    setTimeout(this.#callback(record, step, context, true), step.wait);
    this.#model.set(record, step.wait);
  }

  immediate(step, context) {
    const record = this.#model.expect('immediate');
    setImmediate(this.#callback(record, step, context, true));
    this.#model.set(record);
  }

  close(step, context) {
    const { port1 } = new MessageChannel();
    const record = this.#model.expect('close');
    port1.on('close', this.#callback(record, step, context, false));
    port1.close();
    this.#model.set(record);
  }

  io(step, context) {
    const mayThrow = step.kind !== 'message' && step.kind !== 'thread';
    this.#startIo(step.kind, (record) => this.#callback(record, step, context, mayThrow));
  }

  // `makeCallback` gets the model's record of the operation.
  #startIo(kind, makeCallback) {
    const record = this.#model.expect('io');
    const callback = makeCallback(record);
    switch (kind) {
      case 'stat':
        return fs.stat(__filename, callback);
      case 'readFile':
        // More than one operation: only the last one's callback is the program's.
        return fs.readFile(__filename, callback);
      case 'randomBytes':
        return crypto.randomBytes(16, callback);
      case 'thread':
        return this.#io.send(kind, callback);
      default:
        this.#io.send(kind, callback);
        return this.#model.set(record);
    }
  }

  #callback(record, step, context, mayThrow) {
    const inner = this.#ofCallback(context);
    return () => {
      const activity = this.#model.callback(record);
      this.#enterBody(step, { ...inner, activity }, mayThrow);
    };
  }

  // Pauses of a body other than yields.

  pause(step) {
    const model = this.#model;
    const { on } = step;
    if (on === 'task') {
      const result = { priority: step.priority, result: 'value', body: [] };
      const promise = this.#post(result);
      return { promise, resume: () => model.run() };
    }
    let queued;
    const resume = () => model.run(queued);
    if (on === 'reaction') {
      queued = model.micro();
      return { promise: Promise.resolve(), resume };
    }
    const promise = new Promise((resolve) => {
      const callback = (record) => () => {
        model.callback(record);
        queued = model.micro();
        resolve();
        model.leave();
      };
      if (on === 'io') return this.#startIo(step.kind, callback);
      const record = model.expect(on);
      if (on === 'timer') setTimeout(callback(record), step.wait);
      else setImmediate(callback(record));
      return model.set(record, on === 'timer' ? step.wait : 0);
    });
    return { promise, resume };
  }

  controller(step) {
    this.#signals.controller(step);
  }

  any(step) {
    this.#signals.any(step);
  }

  abort(step) {
    this.#signals.abort(step);
  }

  setPriority(step) {
    this.#signals.setPriority(step);
  }

  listen(step) {
    this.#signals.listen(step);
  }

  busy({ microseconds }) {
    busy(microseconds);
  }

  slice({ milliseconds }) {
    this.#api.configure({ timeSlice: milliseconds });
  }
}

// The scheduling state of a task, by the contract.
function stateFromOptions(signal, priority) {
  const prioritySource = priority === undefined ? signal?.prioritySource : undefined;
  return {
    abortSource: signal,
    prioritySource,
    priority: prioritySource ? undefined : (priority ?? signal?.priority ?? 'user-visible'),
  };
}

// The scheduling state of a continuation, by the contract.
function stateOfContinuation(signal, priority, inherited) {
  if (signal === undefined && priority === undefined) return inherited;
  if (signal === 'inherit' && priority === undefined) return inherited;
  const abortSource = signal === 'inherit' ? inherited.abortSource : signal;
  if (priority === 'inherit') return { ...inherited, abortSource };
  if (signal === 'inherit') return { abortSource, prioritySource: undefined, priority };
  return stateFromOptions(signal, priority);
}

module.exports = { Program };
