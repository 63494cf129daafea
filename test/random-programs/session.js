'use strict';

// The programs of one process (or worker), each from its beginning to the end of the loop. Owns
// where in the loop they begin, and says how each has ended; knows nothing of rules and steps.
//
// A program is over when the loop runs empty. The first one of a process is its main script (or its
// worker's, or its module's); each other one begins in `beforeExit` or in a callback that is set
// there.

const { Model } = require('./model.js');
const { Program } = require('./program.js');
const { toConfiguration } = require('./settings.js');
const { NO_STATE } = require('./states.js');

// After so many rounds of ticks and microtasks, without any of the program, onIdle() has answered.
const ROUNDS = 5;

class Session {
  #api;
  #io;
  #programs;
  #report;
  #watcher;
  #index = 0;
  #model;
  // The model's entry for the body of the running program, if the body goes on after its first
  // callback.
  #main;

  // `report` is called with how each program has ended. Without `io` the programs have none,
  // and it is known that none is ready. With a `watcher` the tasks are watched.
  constructor({ api, io, programs, report, watcher }) {
    this.#api = api;
    this.#io = io;
    this.#programs = programs;
    this.#report = report;
    this.#watcher = watcher;
  }

  // Begins in the phase that the loop is in, within a piece of JavaScript of this kind. Returns a
  // promise if the first program goes on after it.
  begin(phase, kind) {
    process.on('uncaughtException', (error) => this.#model.uncaught(error));
    process.on('beforeExit', () => this.#next());
    this.#prepare(phase);
    // From the first question on the scheduler knows which task the code belongs to.
    this.#api.onIdle();
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
    const { starts, callbacks, order } = this.#model;
    this.#model.finish(this.#main);
    if (this.#model.idleness.isDraining) this.#endDraining();
    this.#report({ starts, callbacks, order, isStuck: this.#main?.isOver === false });
    this.#index++;
  }

  // A draining that waits for what did not settle would go on in the next program.
  #endDraining() {
    const controller = new AbortController();
    this.#api.drain({ priority: 'background', signal: controller.signal }).catch(() => {});
    controller.abort();
  }

  #prepare(phase) {
    const program = this.#programs[this.#index];
    const onViolation = (violation) => {
      this.#report(violation);
      process.exit(1);
    };
    // The start of a process may leave messages behind.
    const canBeSilent = this.#io === undefined && this.#index > 0;
    const before = this.#model;
    this.#main = undefined;
    const watcher = this.#watcher;
    this.#model = new Model({ phase, program, before, canBeSilent, onViolation, watcher });
    this.#api.configure(toConfiguration(program));
  }

  // Runs the program in a piece of JavaScript that begins here.
  #enter(kind, state = NO_STATE) {
    const model = this.#model;
    model.turns.callback(model.lastTime);
    model.enter(kind);
    return model.inside(() => this.#run(state));
  }

  #run(state) {
    const program = new Program({ api: this.#api, model: this.#model, io: this.#io });
    const { promise, body } = program.main(this.#programs[this.#index], state);
    this.#main = body;
    return promise;
  }

  #setEntry(program) {
    const { entry: any, entryPriority } = program;
    // A nested run in ticks of `beforeExit` goes through the check phase that keeps the process.
    const canEnd = any === 'beforeExit' && JSON.stringify(program).includes('"nested"');
    const isMissing = canEnd || (this.#io === undefined && (any === 'io' || any === 'close'));
    const entry = isMissing ? 'immediate' : any;
    const model = this.#model;
    const callback = (record) => () => {
      model.callback(record);
      model.inside(() => this.#run(NO_STATE));
    };
    switch (entry) {
      case 'immediate':
        return setImmediate(callback(model.expect('immediate')));
      case 'timer':
        return setTimeout(callback(model.expect('timer')), 1);
      case 'io':
        return this.#io.start('message', callback(model.expect('io')));
      case 'close': {
        const { port1 } = new MessageChannel();
        port1.on('close', callback(model.expect('close')));
        return port1.close();
      }
      case 'task':
        return this.#setTask(entryPriority);
      default:
        // The loop begins anew behind it, with its timers.
        model.phase = 'main';
        this.#enter('main');
        return this.#keepAlive();
    }
  }

  // Lets `beforeExit` come again where it does not do so by itself. The process may end with the
  // last program, and nothing may keep it then.
  #keepAlive(rounds = 0) {
    const model = this.#model;
    const check = () => this.#keepAlive(model.hasPending() ? 0 : rounds + 1);
    // A tick of a microtask, so that both run dry.
    if (model.hasPending() || (model.idleness.isAsked && rounds < ROUNDS)) {
      queueMicrotask(() => process.nextTick(check));
    } else if (!model.isWaiting()) {
      const isLast = this.#index === this.#programs.length - 1;
      const { comesAgain } = model;
      if (comesAgain === false && isLast) this.#finish();
      else if (comesAgain !== true) this.#setImmediate();
    }
  }

  #setImmediate() {
    const model = this.#model;
    const record = model.expect('immediate');
    setImmediate(() => {
      model.callback(record);
      model.leave();
    });
  }

  #setTask(priority) {
    const state = { ...NO_STATE, priority };
    this.#api.scheduler.postTask(() => {
      this.#enter('task', state);
      // A user-blocking task runs in the ticks of `beforeExit`. A nested run of the loop there goes
      // through its check phase, where the scheduler holds the process no longer.
      if (this.#model.hasNested) this.#keepAlive();
    }, { priority });
    this.#watcher?.ignorePosted(priority);
  }
}

module.exports = { Session };
