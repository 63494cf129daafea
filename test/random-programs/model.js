'use strict';

// The model of a program that runs: its tasks, signals and callbacks of the loop, from the call to
// the end. The program reports everything before or as it happens; rules.js judges it by the
// contract. The core alone decides by the time that work takes (slices, shares, `maxWait`, the
// answers of shouldYield()): core/tests/simulated_loop judges that, on a clock of its own.

const { inspect } = require('node:util');
const { Activities } = require('./activities.js');
const { Rules } = require('./rules.js');
const { RANKS, rank } = require('./states.js');
const { Trace } = require('./trace.js');

// The phase of the loop in which each kind of callback runs.
const PHASES = { timer: 'timers', immediate: 'immediates', io: 'poll', close: 'closing' };

// Phases behind which timers may be those of the pass before the loop's first turn.
const IN_FIRST_PASS = ['main', 'unknown', 'first timers'];

// Milliseconds.
const CLOCK_TOLERANCE = 0.001;

const OUTCOMES = { fulfilled: 'completed', rejected: 'failed' };

// The signal of a controller, or one that follows it: the entries that it aborts are in the order
// they were posted.
class ModelSignal {
  isAborted = false;
  entries = new Set();
  followers = [];
  prioritySource = this;

  constructor(name, priority) {
    this.name = name;
    this.priority = priority;
  }

  // Without a priority, the follower has that of this signal.
  follow(priority) {
    const follower = new ModelSignal(`follower of ${this.name}`, priority);
    if (priority === undefined) follower.prioritySource = this;
    this.followers.push(follower);
    return follower;
  }
}

class Model extends Activities {
  trace = new Trace();
  starts = 0;
  callbacks = 0;
  // The loop has run empty; what was allowed not to run may still come.
  isOver = false;
  // The model of the next program, which has taken over the entries that were left.
  successor;
  // The entries that wait, in a queue or for their delay.
  waiting = new Set();
  // Where the loop is; 'unknown' where nothing has told yet.
  phase;
  #rules = new Rules(this);
  #watcher;
  #entries = [];
  // Callbacks of the loop that are outstanding and keep it alive.
  #callbacks = 0;
  #orders = 0;
  #onViolation;

  // `before` is the model of the program before, whose unreferenced entries may have been left.
  // `watcher` is optional; see watcher.js.
  constructor({ phase, before, onViolation, watcher }) {
    super();
    this.phase = phase;
    this.#onViolation = onViolation;
    this.#watcher = watcher;
    if (before !== undefined) this.#takeOver(before);
  }

  // Entries that an earlier program has left are older than all new ones. The code behind them does
  // not go on.
  #takeOver(before) {
    before.successor = this;
    const left = [...before.waiting];
    left.forEach((entry, index) => {
      entry.order = index - left.length;
      entry.phase = 'unknown';
      this.waiting.add(entry);
    });
  }

  fail(rule, ...words) {
    this.trace.push('!!', rule, ...words);
    this.#onViolation({ rule, what: words.join(' '), trace: this.trace.lines() });
  }

  // A callback of the loop is set. With `isOptional` it does not keep the loop alive.
  expect(kind, isOptional = false) {
    if (!isOptional) this.#callbacks++;
    return { kind, isOptional, isOver: false };
  }

  // Enters a callback of the loop.
  callback(record) {
    const { kind } = record;
    this.callbacks++;
    this.trace.push(kind);
    if (record.isOver) this.fail('once', `the ${kind} ran twice`);
    record.isOver = true;
    if (!record.isOptional) this.#callbacks--;
    this.#rules.judgeCallback(record);
    const isInFirstPass = kind === 'timer' && IN_FIRST_PASS.includes(this.phase);
    this.phase = isInFirstPass ? 'first timers' : PHASES[kind];
    this.enter(kind);
  }

  // Tasks, continuations and idle callbacks: an entry each.

  makeEntry(kind, state, extra) {
    const entry = {
      name: `${kind}${this.#entries.length}`,
      kind,
      state,
      delay: 0,
      isReferenced: true,
      isContinuation: kind === 'yield',
      // How its promise is to settle: [how, value]. Unknown until it has run or was aborted.
      expected: undefined,
      isSettled: false,
      ...extra,
    };
    this.#entries.push(entry);
    return entry;
  }

  // An entry was posted; the call began at `before`.
  post(entry, before) {
    const { abortSource } = entry.state;
    const time = performance.now();
    entry.time = time;
    entry.order = this.#orders++;
    entry.earliest = before + entry.delay;
    entry.latest = time + entry.delay + CLOCK_TOLERANCE;
    entry.phase = this.phase;
    // When a delayed task is queued is the scheduler's choice.
    entry.isPromised = entry.delay === 0;
    const isRefused = abortSource?.isAborted === true;
    this.trace.push('post', entry.name, `rank ${rank(entry)}`, isRefused ? 'aborted' : '');
    this.#watcher?.posted(entry, isRefused, this.#failWatching);
    if (isRefused) {
      this.#settles(entry, ['rejected', abortSource.reason]);
      return;
    }
    abortSource?.entries.add(entry);
    this.waiting.add(entry);
  }

  // An entry starts: `isInTick` if it does so within the ticks of another callback.
  start(entry, isInTick) {
    if (this.isOver) {
      if (this.successor === undefined) this.fail('liveness', entry.name, 'starts after the end');
      this.successor.start(entry, isInTick);
      return;
    }
    this.starts++;
    this.trace.push('start', entry.name, `rank ${rank(entry)}`, isInTick ? 'checkpoint' : '');
    if (!this.waiting.has(entry)) this.fail('once', entry.name, 'starts but does not wait');
    if (!isInTick) this.phase = 'check';
    this.#rules.judgeStart(entry, isInTick);
    this.cancel(entry);
    this.#watcher?.started(entry, this.waiting, this.#failWatching);
    this.lastTime = performance.now();
  }

  // An entry waits no longer: a task, or an idle callback and the end of its timeout.
  cancel(entry) {
    for (const each of [entry, entry.twin]) this.waiting.delete(each);
  }

  // An entry has run, and its promise settles now.
  end(entry, expected) {
    entry.state.abortSource?.entries.delete(entry);
    // It may have aborted itself.
    if (entry.expected === undefined) this.#settles(entry, expected, OUTCOMES[expected[0]]);
  }

  #settles(entry, expected, outcome = 'aborted') {
    this.#watcher?.settled(entry, outcome);
    entry.expected = expected;
    entry.reaction = this.micro();
  }

  #failWatching = (entry, what) => this.fail('watching', entry?.name ?? '', what);

  // The reaction of an entry's promise runs, and is entered.
  settle(entry, how, value) {
    if (this.isOver) {
      this.enter('micro');
      return;
    }
    this.run(entry.reaction);
    entry.reaction = undefined;
    this.trace.push('settled', entry.name, how);
    if (entry.isSettled) this.fail('once', `the promise of ${entry.name} settles twice`);
    entry.isSettled = true;
    const expected = entry.expected ?? ['nothing'];
    if (how !== expected[0] || value !== expected[1]) {
      const found = `is ${inspect([how, value])} instead of ${inspect(expected)}`;
      this.fail('settled', entry.name, found);
    }
  }

  // A signal is about to be aborted.
  abort(signal, reason) {
    this.trace.push('abort', signal.name);
    // Those that follow are aborted, too, before the entries of any of them are told.
    const all = [signal, ...signal.followers];
    for (const each of all) Object.assign(each, { isAborted: true, reason });
    for (const { entries } of all) {
      for (const entry of entries) {
        this.cancel(entry);
        this.#settles(entry, ['rejected', reason]);
      }
      entries.clear();
    }
  }

  // The priority of a signal is about to change.
  changePriority(signal, priority) {
    this.trace.push('setPriority', signal.name, priority);
    const isRaised = RANKS[priority] > RANKS[signal.priority];
    signal.priority = priority;
    // If raised, an entry counts as if posted now, except for its age.
    for (const entry of this.waiting) {
      if (isRaised && entry.state.prioritySource === signal) entry.phase = this.phase;
    }
  }

  // Whether something is outstanding that keeps the loop alive.
  isWaiting() {
    return this.#callbacks > 0 || [...this.waiting].some(({ isReferenced }) => isReferenced);
  }

  // The loop has run empty. Nothing may be left but what does not keep it alive, and the code that
  // waits for that: `main` is the body of the program.
  finish(main) {
    this.isOver = true;
    for (const { isReferenced, name } of this.waiting) {
      if (isReferenced) this.fail('lost', name, 'never started');
    }
    for (const entry of this.#entries) {
      if (entry.isSettled || entry.kind === 'idle' || entry.kind === 'late') continue;
      if (!this.waiting.has(entry)) this.fail('lost', entry.name, 'is not settled');
    }
    if (!main.isOver && !this.waiting.has(main.waitsFor)) this.fail('lost', 'the program itself');
    if (this.#callbacks > 0) this.fail('lost', `${this.#callbacks} callbacks never ran`);
    if (this.hasPending()) this.fail('lost', 'ticks or microtasks');
    this.#watcher?.finish(this.#failWatching);
  }
}

module.exports = { Model, ModelSignal };
