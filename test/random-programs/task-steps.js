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
  // Each controller with its model.
  #signals;
  #idleCallbacks = [];
  #posts = 0;

  constructor({ api, model, runBody, signals }) {
    this.#api = api;
    this.#model = model;
    this.#runBody = runBody;
    this.#signals = signals.map((priority, index) => ({
      controller: new api.TaskController({ priority }),
      signal: new ModelSignal(`signal${index}`, priority),
    }));
  }

  #signal(index) {
    return index === undefined ? {} : this.#signals[index % this.#signals.length];
  }

  post(step) {
    const { priority, delay, ref, throws } = step;
    const model = this.#model;
    const { controller, signal } = this.#signal(step.signal);
    const state = stateFromOptions(signal, priority);
    const label = LABELS[this.#posts++ % LABELS.length];
    const extra = { delay: delay ?? 0, isReferenced: ref !== false };
    const entry = model.makeEntry('task', state, extra);
    const result = { of: entry.name };
    const callback = () => {
      model.start(entry, isInTick());
      if (!model.isOver) {
        model.enter('task');
        model.inside(() => this.#runBody(step, { state, leaks: false }));
      }
      model.end(entry, [throws ? 'rejected' : 'fulfilled', result]);
      if (throws) throw result;
      return result;
    };
    const options = { priority, delay, label, ref };
    if (controller !== undefined) options.signal = controller.signal;
    const before = performance.now();
    const promise = this.#api.scheduler.postTask(callback, options);
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
    return this.#continue(step, context, (options) => this.#api.scheduler.yield(options));
  }

  wait(step, context) {
    return this.#continue(step, context, (options) =>
      this.#api.scheduler.wait(step.delay, options));
  }

  // Calls yield() or wait(), which `call` does.
  #continue({ delay = 0, isAwaited, priority: given, ref, signal: index }, context, call) {
    const model = this.#model;
    const { controller, signal } = this.#signal(index);
    const inherits = given === undefined && signal === undefined;
    // It is open which scheduling state the code sees.
    const priority = context.leaks && inherits ? 'user-visible' : given;
    const state = stateOfContinuation(signal, priority, context.state);
    const entry = model.makeEntry('yield', state, { delay, isReferenced: ref !== false });
    const isBare = inherits && priority === undefined && ref === undefined;
    const before = performance.now();
    const promise = call(isBare ? undefined : { priority, ref, signal: controller?.signal });
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
    const { controller, signal } = this.#signal(index);
    if (signal.isAborted) return;
    const reason = new Error(`aborted by ${signal.name}`);
    this.#model.abort(signal, reason);
    controller.abort(reason);
  }

  setPriority({ signal: index, priority }) {
    const { controller, signal } = this.#signal(index);
    this.#model.changePriority(signal, priority);
    controller.setPriority(priority);
  }
}

module.exports = { TaskSteps };
