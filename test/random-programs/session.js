'use strict';

// The programs of one process (or worker), each from its beginning to the end of the loop. Owns
// where in the loop they begin, and says how each has ended; knows nothing of rules and steps.
//
// A program is over when the loop runs empty. The first one of a process is its main script (or its
// worker's, or its module's); each other one begins in `beforeExit` or in a callback that is set
// there.

const { setCallback } = require('./loop-steps.js');
const { Model } = require('./model.js');
const { Program } = require('./program.js');
const { NO_STATE } = require('./states.js');

// Milliseconds. No program uses it up, nor the head start of user-visible continuations, a fifth of
// it: which of tasks and callbacks comes first does not depend on the time.
const LONG_SLICE = 10_000;

class Session {
  #api;
  #io;
  #programs;
  #report;
  #watcher;
  #index = 0;
  #model;
  // The model's entry for the body of the running program.
  #main;

  // `report` is called with how each program has ended. With a `watcher` the tasks are watched.
  constructor({ api, io, programs, report, watcher }) {
    this.#api = api;
    this.#io = io;
    this.#programs = programs;
    this.#report = report;
    this.#watcher = watcher;
  }

  // Begins in the phase that the loop is in, within a piece of JavaScript of this kind. Returns a
  // promise for the end of the first program's body.
  begin(phase, kind) {
    this.#api.configure({ timeSlice: LONG_SLICE });
    process.on('beforeExit', () => this.#next());
    this.#prepare(phase);
    return this.#enter(kind);
  }

  // The loop has run empty.
  #next() {
    if (this.#index === this.#programs.length) {
      this.#model.fail('liveness', 'the loop went on, and `beforeExit` is repeated');
    }
    this.#finish();
    if (this.#index === this.#programs.length) return;
    this.#prepare('unknown');
    this.#setEntry(this.#programs[this.#index]);
  }

  // Ends the program that runs.
  #finish() {
    const { starts, callbacks } = this.#model;
    this.#model.finish(this.#main);
    this.#report({ starts, callbacks, isStuck: !this.#main.isOver });
    this.#index++;
  }

  #prepare(phase) {
    const onViolation = (violation) => {
      this.#report(violation);
      process.exit(1);
    };
    const before = this.#model;
    const watcher = this.#watcher;
    this.#model = new Model({ phase, before, onViolation, watcher });
  }

  // Runs the program in a piece of JavaScript that begins here.
  #enter(kind, state = NO_STATE) {
    this.#model.enter(kind);
    return this.#run(state);
  }

  #run(state) {
    const model = this.#model;
    const given = this.#programs[this.#index];
    const { signals } = given;
    const program = new Program({ api: this.#api, model, io: this.#io, signals });
    const { promise, body } = model.inside(() => program.main(given, state));
    this.#main = body;
    return promise;
  }

  #setEntry({ entry, entryPriority }) {
    const model = this.#model;
    if (entry === 'task') {
      this.#setTask(entryPriority);
    } else if (entry === 'beforeExit') {
      // The loop begins anew behind it, with its timers.
      model.phase = 'main';
      this.#enter('main');
      this.#keepAlive();
    } else {
      setCallback({ model, io: this.#io }, entry, { wait: 1, kind: 'message' }, (record) => {
        model.callback(record);
        this.#run(NO_STATE);
      });
    }
  }

  // Lets `beforeExit` come again.
  #keepAlive() {
    const model = this.#model;
    // A tick of a microtask, so that both run dry.
    if (model.hasPending()) queueMicrotask(() => process.nextTick(() => this.#keepAlive()));
    else if (!model.isWaiting()) this.#setImmediate();
  }

  #setImmediate() {
    const model = this.#model;
    setCallback({ model }, 'immediate', {}, (record) => {
      model.callback(record);
      model.leave();
    });
  }

  #setTask(priority) {
    const state = { ...NO_STATE, priority };
    this.#api.scheduler.postTask(() => void this.#enter('task', state), { priority });
    this.#watcher?.ignorePosted(priority);
  }
}

module.exports = { Session };
