'use strict';

// The steps of a random program that need no scheduler: ticks, microtasks, callbacks of the loop,
// and pauses that wait for them.

const { NO_STATE } = require('./states.js');

// Sets a callback of the loop. A callback that an earlier program has left behind does not run.
function setCallback({ model, io }, kind, { isUnref = false, kind: ioKind, wait }, run) {
  const record = model.expect(kind, isUnref);
  const callback = () => {
    if (!model.isOver) run(record);
  };
  if (kind === 'timer') {
    setTimeout(callback, wait);
  } else if (kind === 'immediate') {
    const immediate = setImmediate(callback);
    if (isUnref) immediate.unref();
  } else if (kind === 'close') {
    const { port1 } = new MessageChannel();
    port1.on('close', callback);
    port1.close();
  } else {
    io.start(ioKind, callback);
  }
}

class LoopSteps {
  // The model and the I/O.
  #loop;
  #model;
  #runBody;

  constructor({ io, model, runBody }) {
    this.#loop = { model, io };
    this.#model = model;
    this.#runBody = runBody;
  }

  tick(step, context) {
    process.nextTick(this.#queued(this.#model.tick(), step, context));
  }

  micro(step, context) {
    const callback = this.#queued(this.#model.micro(), step, context);
    if (step.isReaction) Promise.resolve().then(callback);
    else queueMicrotask(callback);
  }

  #queued(queued, step, context) {
    return () => {
      this.#model.run(queued);
      this.#model.inside(() => this.#runBody(step, context));
    };
  }

  timer = this.#callBack;
  immediate = this.#callBack;
  close = this.#callBack;
  io = this.#callBack;

  // Runs the body of a step in the callback of the loop after which it is named.
  #callBack(step, { leaks, state }) {
    const { abortSource, prioritySource, priority } = state;
    const hasState = abortSource ?? prioritySource ?? priority !== 'user-visible';
    const inner = { state: NO_STATE, leaks: leaks || Boolean(hasState) };
    setCallback(this.#loop, step.name, step, (record) => {
      this.#model.callback(record);
      this.#model.inside(() => this.#runBody(step, inner));
    });
  }

  // The promise that a body awaits in a step that is no continuation.
  pause(step) {
    const model = this.#model;
    let queued;
    const resume = () => model.run(queued);
    if (step.on === 'reaction') {
      queued = model.micro();
      return { promise: Promise.resolve(), resume };
    }
    const promise = new Promise((resolve) => {
      setCallback(this.#loop, step.on, step, (record) => {
        model.callback(record);
        queued = model.micro();
        resolve();
        model.leave();
      });
    });
    return { promise, resume };
  }

  busy({ microseconds }) {
    const end = performance.now() + microseconds / 1000;
    while (performance.now() < end);
  }
}

module.exports = { LoopSteps, setCallback };
