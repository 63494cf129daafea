'use strict';

// The steps of a random program that call onIdle() and drain(). The rules for them are in
// idleness.js.

const { isPending, owner, whenSettled } = require('./hooks.js');
const { isInExpiry, isInTick } = require('./stack.js');
const { NO_STATE } = require('./states.js');

class IdleSteps {
  #api;
  #model;
  #runBody;
  #signals;

  constructor({ api, model, runBody, signals }) {
    this.#api = api;
    this.#model = model;
    this.#runBody = runBody;
    this.#signals = signals;
  }

  onIdle(step, context) {
    if (this.#isAskerOpen(context)) return;
    const { idleness } = this.#model;
    const { entry, options } = this.#makeCall('onIdle', step);
    const promise = this.#api.onIdle(options);
    if (this.#model.postCall(entry)) {
      idleness.ask(entry, promise);
      if (isPending(promise)) whenSettled(promise, () => idleness.fulfil(entry));
    }
    this.#follow(promise, entry, step, context);
  }

  drain(step, context) {
    if (this.#isAskerOpen(context)) return;
    const { idleness } = this.#model;
    const { priority, timeout } = step;
    const { entry, asker, options } = this.#makeCall('drain', step);
    const call = () => this.#api.drain({ ...options, priority, timeout });
    let promise;
    if (this.#model.postCall(entry)) {
      const settings = { priority: priority ?? 'user-visible', timeout, asker };
      promise = idleness.drain(entry, settings, call);
      if (isPending(promise)) {
        whenSettled(promise, () => {
          idleness.endDraining({ hasExpired: isInExpiry(), isInTick: isInTick() });
        });
      }
    } else {
      promise = call();
    }
    this.#follow(promise, entry, step, context);
  }

  // Whether it is open which task asks. In nested runs of the loop it is the innermost one.
  #isAskerOpen({ leaksOwner, activity }) {
    return this.#model.nesting > 0 || (leaksOwner && this.#model.current !== activity);
  }

  #makeCall(kind, { signal: name }) {
    const signal = name === undefined ? undefined : this.#signals.at(name);
    const asker = owner.getStore();
    const state = { ...NO_STATE, abortSource: signal?.model };
    const entry = this.#model.makeEntry(kind, state, { askers: new Set([asker]) });
    return { entry, asker, options: signal && { signal: signal.real } };
  }

  // Runs the body of the step when the promise has settled.
  #follow(promise, entry, step, context) {
    const model = this.#model;
    const inner = { ...context, activity: undefined };
    const settle = (how) => (value) => {
      model.settle(entry, how, value);
      model.inside(() => (model.isOver ? undefined : this.#runBody(step, inner)));
    };
    promise.then(settle('fulfilled'), settle('rejected'));
  }
}

module.exports = { IdleSteps };
