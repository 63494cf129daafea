'use strict';

// The steps of a random program that need no scheduler: ticks, microtasks, callbacks of the loop,
// pauses that wait for them, and runs of the loop from inside its own JavaScript.

const { owner } = require('./hooks.js');
const { Io } = require('./io.js');
const { runNestedLoop } = require('./stack.js');
const { NO_STATE } = require('./states.js');

// uv_run() without waiting.
const NOWAIT = 2;

class LoopSteps {
  #io;
  #model;
  #post;
  #runBody;

  // Without `io` immediates take its place.
  constructor({ io, model, post, runBody }) {
    this.#io = io;
    this.#model = model;
    this.#post = post;
    this.#runBody = runBody;
  }

  tick(step, context) {
    const queued = this.#model.tick();
    const inner = { ...context, activity: undefined };
    process.nextTick(() => {
      this.#model.run(queued);
      this.#model.inside(() => this.#runBody(step, inner, true));
    });
  }

  micro(step, context) {
    const queued = this.#model.micro();
    const inner = { ...context, activity: undefined };
    const callback = () => {
      this.#model.run(queued);
      this.#model.inside(() => this.#runBody(step, inner, !step.isReaction));
    };
    if (step.isReaction) Promise.resolve().then(callback);
    else queueMicrotask(callback);
  }

  timer(step, context) {
    this.#callBack({ kind: 'timer', mayThrow: true }, step, context);
  }

  immediate(step, context) {
    this.#callBack({ kind: 'immediate', mayThrow: true }, step, context);
  }

  close(step, context) {
    if (this.#io === undefined) return this.immediate({ ...step, isUnref: false }, context);
    return this.#callBack({ kind: 'close', mayThrow: false }, step, context);
  }

  io(step, context) {
    if (this.#io === undefined) return this.immediate({ ...step, isUnref: false }, context);
    return this.#callBack({ kind: 'io', mayThrow: Io.mayThrow(step.kind) }, step, context);
  }

  // Runs the body of a step in a callback of the loop.
  #callBack({ kind, mayThrow }, step, context) {
    const { state } = context;
    const { abortSource, maxWait, prioritySource, priority } = state;
    const hasState = abortSource ?? prioritySource ?? maxWait ?? priority !== 'user-visible';
    const inner = {
      ...context,
      state: NO_STATE,
      leaks: context.leaks || Boolean(hasState),
      leakedMaxWait: maxWait ?? context.leakedMaxWait,
      leaksOwner: context.leaksOwner || owner.getStore() !== undefined,
    };
    this.#set(kind, step, (record) => {
      const activity = this.#model.callback(record);
      this.#model.inside(() => this.#runBody(step, { ...inner, activity }, mayThrow));
    });
  }

  // Sets a callback of the loop. A callback that an earlier program has left behind does not run.
  #set(kind, step, run) {
    const model = this.#model;
    const isOptional = step.isUnref === true;
    const record = model.expect(kind, isOptional);
    // The callback does not belong to the task that sets it.
    const callback = () => owner.run(undefined, () => {
      if (!model.isOver) run(record);
    });
    switch (kind) {
      case 'timer':
        setTimeout(callback, step.wait);
        return model.set(record, step.wait);
      case 'immediate': {
        const immediate = setImmediate(callback);
        if (isOptional) immediate.unref();
        return model.set(record);
      }
      case 'close': {
        const { port1 } = new MessageChannel();
        port1.on('close', callback);
        port1.close();
        return model.set(record);
      }
      default:
        this.#io.start(step.kind, callback);
        if (Io.isReadyAtOnce(step.kind)) model.set(record);
    }
  }

  // The promise that a body awaits in a step that is no continuation.
  pause(step) {
    const model = this.#model;
    if (step.on === 'task') {
      const promise = this.#post({ priority: step.priority });
      return { promise, resume: () => model.run() };
    }
    let queued;
    const resume = () => model.run(queued);
    if (step.on === 'reaction') {
      queued = model.micro();
      return { promise: Promise.resolve(), resume };
    }
    const on = step.on === 'io' && this.#io === undefined ? 'immediate' : step.on;
    const promise = new Promise((resolve) => {
      this.#set(on, step, (record) => {
        model.callback(record);
        queued = model.micro();
        resolve();
        model.leave();
      });
    });
    return { promise, resume };
  }

  // Only tasks do it: Node's own callbacks are not made for it.
  nested({ turns, hasTicks }) {
    const model = this.#model;
    if (model.current?.kind !== 'task') return;
    // Between two timers or immediates Node has chosen the next one already. If a nested run calls
    // that one, Node calls the timer again, or looks for the end of its immediates for ever.
    if (model.phase === 'timers' || model.phase === 'immediates') return;
    const { run } = require(process.env.NESTED_ADDON);
    const outer = model.beginNestedRun();
    runNestedLoop(() => {
      for (let turn = 0; turn < turns; turn++) {
        // As addons of this kind do, so that promises settle.
        if (hasTicks) process._tickCallback();
        run(NOWAIT);
      }
    });
    model.endNestedRun(outer);
  }

  busy({ microseconds }) {
    spin(microseconds);
  }
}

function spin(microseconds) {
  const end = performance.now() + microseconds / 1000;
  while (performance.now() < end);
}

module.exports = { LoopSteps, spin };
