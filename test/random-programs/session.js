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
  #given;
  #index = 0;
  #model;
  // The model's entry for the body of the running program.
  #main;

  // The API of the package; the I/O; the programs; `report`, which is called with how each of them
  // has ended; and `watcher`, if the tasks are watched.
  constructor({ api, io, programs, report, watcher }) {
    this.#given = { api, io, programs, report, watcher };
  }

  // Begins in the phase that the loop is in, within a piece of JavaScript of this kind. Returns a
  // promise for the end of the first program's body.
  begin(phase, kind) {
    this.#given.api.configure({ timeSlice: LONG_SLICE });
    process.on('beforeExit', () => this.#next());
    this.#prepare(phase);
    return this.#enter(kind);
  }

  // The loop has run empty: ends the program that runs, and sets the next one.
  #next() {
    const { programs, report } = this.#given;
    const model = this.#model;
    if (this.#index === programs.length) {
      model.fail('liveness', 'the loop went on, and `beforeExit` is repeated');
    }
    model.finish(this.#main);
    const { starts, callbacks } = model;
    report({ starts, callbacks, isStuck: !this.#main.isOver });
    this.#index++;
    if (this.#index === programs.length) return;
    this.#prepare('unknown');
    this.#setEntry(programs[this.#index]);
  }

  #prepare(phase) {
    const { report, watcher } = this.#given;
    const onViolation = (violation) => {
      report(violation);
      process.exit(1);
    };
    this.#model = new Model({ phase, before: this.#model, onViolation, watcher });
  }

  // Runs the program in a piece of JavaScript that begins here.
  #enter(kind, state = NO_STATE) {
    this.#model.enter(kind);
    return this.#run(state);
  }

  #run(state) {
    const { api, io, programs } = this.#given;
    const model = this.#model;
    const given = programs[this.#index];
    const program = new Program({ api, model, io, signals: given.signals });
    const { promise, body } = model.inside(() => program.main(given, state));
    this.#main = body;
    return promise;
  }

  #setEntry({ entry, entryPriority: priority }) {
    const { api, io, watcher } = this.#given;
    const model = this.#model;
    if (entry === 'task') {
      const state = { ...NO_STATE, priority };
      api.scheduler.postTask(() => void this.#enter('task', state), { priority });
      watcher?.ignorePosted(priority);
    } else if (entry === 'beforeExit') {
      // The loop begins anew behind it, with its timers.
      model.phase = 'main';
      this.#enter('main');
      this.#keepAlive();
    } else {
      setCallback({ model, io }, entry, { wait: 1, kind: 'stat' }, (record) => {
        model.callback(record);
        this.#run(NO_STATE);
      });
    }
  }

  // Lets `beforeExit` come again.
  #keepAlive() {
    const model = this.#model;
    if (model.hasPending()) {
      // A tick of a microtask, so that both run dry.
      queueMicrotask(() => process.nextTick(() => this.#keepAlive()));
    } else if (!model.isWaiting()) {
      setCallback({ model }, 'immediate', {}, (record) => {
        model.callback(record);
        model.leave();
      });
    }
  }
}

module.exports = { Session };
