'use strict';

// The steps of a random program that call the scheduler and its signals: tasks, continuations, idle
// callbacks. Owns the options that it is given, and the scheduling state that follows from them.

const v8 = require('node:v8');
const { ModelSignal } = require('./model.js');
const { NO_STATE, stateFromOptions, stateOfContinuation } = require('./states.js');

// Tasks without a label have no name either.
const LABELS = ['render', undefined, 'index', 'mail', 'report'];

// Far more frames than lie between a callback and Node's queue of ticks.
const DEEPEST = 50;
const TICKS = 'processTicksAndRejections';

// By promise: what is called when it settles. Code of the program only runs a reaction later, and
// ticks of others may come before.
const listeners = new WeakMap();

v8.promiseHooks.onSettled((promise) => {
  listeners.get(promise)?.();
  listeners.delete(promise);
});

// Whether Node's queue of ticks has called what runs.
function isInTick() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = (error, frames) =>
    frames.some((frame) => frame.getFunctionName() === TICKS);
  Error.stackTraceLimit = DEEPEST;
  const { stack: isIn } = new Error();
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return isIn;
}

class TaskSteps {
  #api;
  #model;
  #runBody;
  #schedulers;
  // Each controller with the model of its signal.
  #controllers;
  // Each signal with its model: those of the controllers, and three that follow each of them.
  #signals;
  #idleCallbacks = [];
  #posts = 0;
  #continuations = 0;

  constructor({ api, model, runBody, signals }) {
    this.#api = api;
    this.#model = model;
    this.#runBody = runBody;
    this.#schedulers = [api.scheduler, api.createScheduler()];
    this.#controllers = signals.map((priority, index) => ({
      controller: new api.TaskController({ priority }),
      signal: new ModelSignal(`signal${index}`, priority),
    }));
    const own = this.#controllers.map(({ controller, signal }) =>
      ({ real: controller.signal, signal }));
    const { any } = api.TaskSignal;
    this.#signals = [...own, ...own.flatMap(({ real, signal }) => [
      { real: any([real], { priority: real }), signal: signal.follow() },
      { real: any([real, real], { priority: 'background' }), signal: signal.follow('background') },
      { real: any([AbortSignal.any([real])]), signal: signal.follow('user-visible') },
    ])];
  }

  #signal(index) {
    return index === undefined ? {} : this.#signals[index % this.#signals.length];
  }

  #controller(index) {
    return this.#controllers[index % this.#controllers.length];
  }

  post(step) {
    const { priority, delay, ref, throws } = step;
    const model = this.#model;
    const { real, signal } = this.#signal(step.signal);
    const state = stateFromOptions(signal, priority);
    const label = LABELS[this.#posts++ % LABELS.length];
    const on = this.#posts % 3 === 0 ? 1 : 0;
    const extra = { delay: delay ?? 0, isReferenced: ref !== false };
    const entry = model.makeEntry('task', state, extra);
    const result = { of: entry.name };
    const callback = () => {
      model.start(entry, isInTick());
      if (!model.isOver) {
        model.enter('task');
        model.inside(() => this.#runBody(step, { state, leaks: false, on }));
      }
      model.end(entry, [throws ? 'rejected' : 'fulfilled', result]);
      if (throws) throw result;
      return result;
    };
    const options = { priority, delay, label, ref };
    if (real !== undefined) options.signal = real;
    const before = performance.now();
    const promise = this.#schedulers[on].postTask(callback, options);
    model.post(entry, before);
    this.#handle(promise, entry);
  }

  // Tells the model what becomes of a promise that no body waits for.
  #handle(promise, entry) {
    const settle = (how) => (value) => {
      this.#model.settle(entry, how, value);
      this.#model.leave();
    };
    promise.then(settle('fulfilled'), settle('rejected'));
  }

  yield(step, context) {
    return this.#continue(step, context, (scheduler, options) => scheduler.yield(options));
  }

  wait(step, context) {
    return this.#continue(step, context, (scheduler, options) =>
      scheduler.wait(step.delay, options));
  }

  // Calls yield() or wait(), which `call` does. What is not given may be inherited by its name, and
  // another scheduler than that of the task may be asked, for which there is nothing to inherit.
  #continue({ delay = 0, isAwaited, priority: given, ref, signal: index }, context, call) {
    const model = this.#model;
    const number = context.leaks ? 0 : this.#continuations++;
    const found = this.#signal(index);
    const isBare = given === undefined && index === undefined;
    const signal = found.signal ?? (number % 4 > 1 ? 'inherit' : undefined);
    // If the state of a task leaks, it is open which scheduling state the code sees.
    const priority = given ??
      (context.leaks && isBare ? 'user-visible' : number % 2 === 1 ? 'inherit' : undefined);
    const { on: own = 0 } = context;
    const on = number % 7 === 3 ? 1 - own : own;
    const state = stateOfContinuation(signal, priority, on === own ? context.state : NO_STATE);
    const entry = model.makeEntry('yield', state, { delay, isReferenced: ref !== false });
    const options = { priority, ref, signal: found.real ?? signal };
    const isEmpty = Object.values(options).every((each) => each === undefined);
    const before = performance.now();
    const promise = call(this.#schedulers[on], isEmpty ? undefined : options);
    model.post(entry, before);
    if (entry.expected === undefined) {
      listeners.set(promise, () => {
        if (entry.expected !== undefined) return;
        model.start(entry, isInTick());
        model.end(entry, ['fulfilled', undefined]);
      });
    }
    if (isAwaited) {
      return { promise, entry, resume: (how, value) => model.settle(entry, how, value) };
    }
    this.#handle(promise, entry);
    return undefined;
  }

  idle(step) {
    const { ref, timeout } = step;
    const model = this.#model;
    const state = { ...NO_STATE, priority: 'background' };
    const isReferenced = ref !== false;
    const idle = model.makeEntry('idle', state, { isReferenced });
    if (timeout !== undefined) {
      const extra = { isReferenced, delay: timeout, twin: idle };
      idle.twin = model.makeEntry('late', NO_STATE, extra);
    }
    const before = performance.now();
    const handle = this.#api.requestIdleCallback((deadline) => {
      model.start(deadline.didTimeout ? idle.twin : idle, isInTick());
      if (model.isOver) return;
      model.enter('task');
      const left = deadline.timeRemaining();
      if (!(left >= 0 && left <= 50)) model.fail('idle', 'time remaining:', left);
      model.inside(() => this.#runBody(step, { state, leaks: false }));
    }, timeout === undefined && isReferenced ? undefined : { timeout, ref });
    model.post(idle, before);
    if (timeout !== undefined) model.post(idle.twin, before);
    this.#idleCallbacks.push({ idle, handle });
  }

  cancel({ callback }) {
    if (this.#idleCallbacks.length === 0) return;
    const { idle, handle } = this.#idleCallbacks[callback % this.#idleCallbacks.length];
    this.#model.cancel(idle);
    this.#api.cancelIdleCallback(handle);
  }

  abort({ signal: index }) {
    const { controller, signal } = this.#controller(index);
    if (signal.isAborted) return;
    const reason = new Error(`aborted by ${signal.name}`);
    this.#model.abort(signal, reason);
    controller.abort(reason);
  }

  setPriority({ signal: index, priority }) {
    const { controller, signal } = this.#controller(index);
    this.#model.changePriority(signal, priority);
    controller.setPriority(priority);
  }
}

module.exports = { TaskSteps };
