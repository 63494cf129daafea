'use strict';

// The programs of one process (or worker), each from its beginning to the end of the loop. Owns
// where in the loop they begin, and says how each has ended; knows nothing of rules and steps.
//
// A program is over when the loop runs empty. The first one of a process is its main script (or its
// worker's); each other one begins in a callback that `beforeExit` sets.

const { isMainThread } = require('node:worker_threads');
const { LONG_SLICE } = require('./generator.js');
const { Model, NO_STATE } = require('./model.js');
const { Program } = require('./program.js');

class Session {
  #options;
  #seed;
  #end;
  #model;
  #current;

  // `getProgram` gives the program of a seed, `report` is called with how each has ended.
  constructor(options) {
    this.#options = options;
    this.#seed = options.first;
    this.#end = options.first + options.count;
  }

  begin() {
    process.on('uncaughtException', (error) => this.#model.uncaught(error));
    process.on('beforeExit', () => this.#next());
    this.#prepare(isMainThread ? 'main' : 'poll');
    this.#model.enter('main');
    this.#run();
    this.#model.leave();
  }

  // The loop has run empty.
  #next() {
    if (this.#seed === this.#end) return;
    this.#model.finish();
    const { starts, callbacks } = this.#model;
    this.#options.report({ seed: this.#seed, starts, callbacks });
    if (++this.#seed === this.#end) return;
    this.#prepare('unknown');
    this.#enter(this.#current);
  }

  #prepare(phase) {
    const { api, getProgram, report } = this.#options;
    this.#current = getProgram(this.#seed);
    const onViolation = (violation) => {
      report({ seed: this.#seed, ...violation });
      process.exit(1);
    };
    this.#model = new Model({ phase, onViolation });
    this.#model.hasLongSlice = this.#current.slice === LONG_SLICE;
    api.configure({ timeSlice: this.#current.slice });
  }

  #run(state = NO_STATE) {
    const { api, io } = this.#options;
    new Program({ api, model: this.#model, io }).main(this.#current, state);
  }

  #enter({ entry, entryPriority }) {
    const model = this.#model;
    const callback = (record) => () => {
      model.callback(record);
      this.#run();
      model.leave();
    };
    switch (entry) {
      case 'immediate':
        return setImmediate(callback(model.expect('immediate')));
      case 'timer':
        return setTimeout(callback(model.expect('timer')), 1);
      case 'io':
        return this.#options.io.send('message', callback(model.expect('io')));
      case 'close': {
        const { port1 } = new MessageChannel();
        port1.on('close', callback(model.expect('close')));
        return port1.close();
      }
      default:
        return this.#enterTask(entryPriority);
    }
  }

  #enterTask(priority) {
    const state = { ...NO_STATE, priority };
    this.#options.api.scheduler.postTask(() => {
      this.#model.enter('task');
      this.#run(state);
      this.#model.leave();
    }, { priority });
  }
}

module.exports = { Session };
