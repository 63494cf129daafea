'use strict';

// The model of a program that runs: its tasks, signals, exceptions and callbacks of the loop, from
// the call to the end. The program reports everything before or as it happens; rules.js judges it
// by the contract.

const { inspect } = require('node:util');
const { Activities } = require('./activities.js');
const { Idleness, isExpected } = require('./idleness.js');
const { Liveness } = require('./liveness.js');
const { Rules } = require('./rules.js');
const { hasOneOrder } = require('./settings.js');
const { Share } = require('./share.js');
const { ShouldYieldRules } = require('./should-yield-rules.js');
const { RANKS, describe, rank } = require('./states.js');
const { Trace } = require('./trace.js');
const { Turns } = require('./turns.js');

// The phase of the loop in which each kind of callback runs.
const PHASES = { timer: 'timers', immediate: 'immediates', io: 'poll', close: 'closing' };

// Milliseconds. Node's timers are kept in whole ones, on a clock that stands still in a callback,
// and what its pass over them has left behind is due for libuv a millisecond after the pass. That
// no I/O is ready is believed for a tenth of one.
const TOLERANCES = { timer: 3, io: 0.2 };
const CLOCK_TOLERANCE = 0.001;

// As what drain() counts a task that settles by itself.
const OUTCOMES = { fulfilled: 'completed', rejected: 'failed' };

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
  // Callbacks that are known to be runnable, at the latest from a known time on.
  runnable = new Set();
  // Where the loop is; 'unknown' where nothing has told yet.
  phase;
  // Counts check phases, as far as other callbacks come between them.
  check = 0;
  // Runs of the loop from inside the program's JavaScript that are under way.
  nesting = 0;
  // From the first one on a check phase can end without another callback in between.
  hasNested = false;
  // When the program was last seen to run in a pass over timers.
  lastTimers = -Infinity;
  // Whether the program has had I/O, or handles that were closed.
  isHeard = false;
  // See Turns. The turns of earlier programs count.
  turns;
  // See Idleness.
  idleness = new Idleness(this);
  // See Share.
  share;
  #tellEnd;
  // Fulfilled at the end: what would never settle does so then, as it would keep later programs
  // from being idle.
  ended = new Promise((resolve) => (this.#tellEnd = resolve));
  #canBeSilent;
  #liveness;
  #rules;
  #shouldYieldRules;
  #watcher;
  #entries = [];
  // The priorities of the runs of shared tasks.
  #runs = [];
  // The names of what has started, if their order is the same each time.
  #started;
  #orders = 0;
  // Exceptions that the process has not reported yet.
  #thrown = [];
  #onViolation;

  // `before` is the model of the program before, whose unreferenced entries may have been left.
  // `canBeSilent` says that no I/O is ready that others have started. `watcher` is optional; see
  // watcher.js.
  constructor({ phase, program, before, canBeSilent, onViolation, watcher }) {
    super();
    this.phase = phase;
    this.turns = before?.turns ?? new Turns();
    this.#canBeSilent = canBeSilent;
    this.#liveness = new Liveness(this, program);
    this.share = new Share(program);
    this.#rules = new Rules(this, program);
    this.#shouldYieldRules = new ShouldYieldRules(this, program);
    this.#onViolation = onViolation;
    this.#watcher = watcher;
    const hasLeft = before !== undefined && before.waiting.size + before.idleness.running.size > 0;
    if (canBeSilent && !hasLeft && hasOneOrder(program)) this.#started = [];
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
      entry.isLeft = true;
      this.waiting.add(entry);
    });
    this.idleness.running = before.idleness.running;
  }

  // Whether no I/O can be ready.
  get isSilent() {
    return this.#canBeSilent && !this.isHeard && !this.hasNested;
  }

  // The entries that have started, in order, as text; undefined where the order is open.
  get order() {
    return this.#started?.join(' ');
  }

  fail(rule, ...words) {
    this.trace.push('!!', rule, ...words);
    this.#onViolation({ rule, what: words.join(' '), trace: this.trace.lines() });
  }

  leave() {
    super.leave();
    if (this.phase === 'timers') this.lastTimers = this.lastTime;
  }

  // Callbacks of the loop: `expect` before one is set, `set` afterwards, as it can take any time.

  // With `isOptional` it does not keep the loop alive.
  expect(kind, isOptional = false) {
    this.#liveness.expect(isOptional);
    if (kind === 'io' || kind === 'close') this.isHeard = true;
    return { kind, isOptional, since: undefined, isOver: false };
  }

  // A record is runnable when so many milliseconds have passed.
  set(record, wait = 0) {
    this.#rules.note(record);
    if (record.isOptional) return;
    const tolerance = TOLERANCES[record.kind] ?? 0;
    record.since = performance.now() + wait + tolerance;
    this.runnable.add(record);
  }

  // Enters a callback of the loop.
  callback(record) {
    const { kind } = record;
    this.callbacks++;
    this.#started?.push(kind);
    this.trace.push(kind);
    if (record.isOver) this.fail('once', `the ${kind} ran twice`);
    record.isOver = true;
    this.turns.callback(this.lastTime);
    this.#shouldYieldRules.callback();
    this.#liveness.arrive(record.isOptional, this.phase);
    this.#rules.judgeCallback(record);
    this.runnable.delete(record);
    if (this.phase === 'check') this.#liveness.endCheck();
    this.phase = PHASES[kind];
    return this.enter(kind);
  }

  // The loop is run from inside the activity under way; `endNestedRun` gets what is returned.
  beginNestedRun() {
    const { phase } = this;
    this.nesting++;
    this.hasNested = true;
    this.phase = 'unknown';
    return phase;
  }

  endNestedRun(phase) {
    this.nesting--;
    this.phase = phase;
    // Which phases the loop went through is not known.
    for (const entry of this.waiting) entry.phase = 'unknown';
    this.lastTime = performance.now();
  }

  // Tasks, continuations and idle callbacks: an entry each.

  makeEntry(kind, state, extra) {
    const entry = {
      name: `${kind}${this.#entries.length}`,
      kind,
      state,
      delay: 0,
      isReferenced: true,
      maxWait: undefined,
      isContinuation: kind === 'yield',
      // How its promise is to settle: [how, value]. Unknown until it has run or was aborted.
      expected: undefined,
      hasPromise: true,
      isSettled: false,
      isStarted: false,
      isLeft: false,
      ...extra,
    };
    this.#entries.push(entry);
    if (entry.joins !== undefined) this.#runs.push(state.prioritySource);
    return entry;
  }

  // An entry was posted; the call began at `before`.
  post(entry, before = performance.now()) {
    const { abortSource } = entry.state;
    const time = performance.now();
    entry.time = time;
    entry.order = this.#orders++;
    entry.earliest = before + entry.delay;
    entry.latest = time + entry.delay + CLOCK_TOLERANCE;
    entry.phase = this.phase;
    entry.check = this.check;
    // When a delayed task is queued is the scheduler's choice.
    entry.isPromised = entry.delay === 0;
    this.trace.push('post', entry.name, `rank ${rank(entry)}`, describe(entry));
    const isTaken = this.#isTaken(entry);
    this.#watcher?.posted(entry, !isTaken, this.#failWatching);
    if (!isTaken) return;
    abortSource?.entries.push(entry);
    this.waiting.add(entry);
    this.#liveness.hold(entry);
    this.#shouldYieldRules.refresh();
  }

  // Whether its signal and a draining let an entry wait.
  #isTaken(entry) {
    const { abortSource } = entry.state;
    if (abortSource?.isAborted) {
      this.#reject(entry, abortSource.reason);
      return false;
    }
    if (!this.idleness.isDraining) return true;
    if (entry.kind === 'idle' || entry.kind === 'late') return false;
    const reason = this.idleness.reasonToRefuse(entry);
    if (reason !== undefined) this.refuse(entry, reason);
    return reason === undefined;
  }

  // A draining rejects an entry, which waits or runs or is new.
  refuse(entry, reason) {
    this.trace.push('refuse', entry.name);
    this.#remove(entry);
    this.withdraw(entry, ['rejected', reason]);
    this.#settles(entry, 'aborted');
    // The model of an earlier program gets the end of an entry that it has left. A rejection
    // without a listener counts as handled.
    const isOwn = this.#entries.includes(entry);
    if (isOwn && (entry.hasPromise || entry.joins !== undefined)) this.#react(entry);
  }

  // The promise of an entry settles now, or those of the joins of a run.
  #react(entry) {
    for (const each of entry.joins ?? [entry]) each.reaction = this.micro();
  }

  // onIdle() or drain() was called. Returns whether its signal lets it begin.
  postCall(entry) {
    const { abortSource } = entry.state;
    this.trace.push('call', entry.name, describe(entry));
    if (abortSource?.isAborted) {
      this.#reject(entry, abortSource.reason);
      return false;
    }
    abortSource?.entries.push(entry);
    return true;
  }

  // Its signal aborts an entry no more. `expected` is how its promise settles, if that is known.
  withdraw(entry, expected = entry.expected) {
    const { abortSource } = entry.state;
    if (abortSource !== undefined) remove(abortSource.entries, entry);
    entry.expected = expected;
  }

  #reject(entry, reason) {
    entry.expected = ['rejected', reason];
    if (entry.hasPromise) entry.reaction = this.micro();
    else this.#thrown.push(reason);
  }

  // An entry starts: `isInTick` if it does so within the ticks of another callback.
  start(entry, isInTick) {
    if (this.isOver) {
      if (this.successor === undefined) this.fail('liveness', entry.name, 'starts after the end');
      this.successor.start(entry, isInTick);
      return;
    }
    this.starts++;
    this.#started?.push(entry.name);
    this.trace.push('start', entry.name, `rank ${rank(entry)}`, isInTick ? 'checkpoint' : '');
    if (!this.waiting.has(entry)) {
      this.fail('once', entry.name, 'starts but does not wait:', describe(entry));
    }
    if (!isInTick && this.phase !== 'check') {
      this.#liveness.judgeFirstOfCheck(entry, this.phase);
      this.phase = 'check';
      this.check++;
    }
    if (!isInTick) this.share.start(this.check, this.waiting);
    this.#rules.judgeStart(entry, isInTick);
    this.turns.start(entry, rank(entry), this.lastTime);
    this.#remove(entry);
    if (entry.twin !== undefined) this.#remove(entry.twin);
    this.#shouldYieldRules.start(entry);
    this.#liveness.start(entry);
    this.idleness.start(entry);
    this.#judgeWatching(entry);
    entry.isStarted = true;
    this.lastTime = performance.now();
  }

  #judgeWatching(entry) {
    if (this.#watcher === undefined) return;
    this.#watcher.started(entry, this.#failWatching);
    if (this.hasNested || entry.kind !== 'task') return;
    this.#watcher.judgeNow(this.waiting, this.idleness.running, this.#failWatching);
  }

  // An entry waits no longer.
  #remove(entry) {
    if (this.waiting.delete(entry)) this.#liveness.hold(entry);
  }

  // Removes an idle callback that was cancelled, or a timer.
  cancel(entry) {
    this.trace.push('cancel', entry.name);
    this.#remove(entry);
    if (entry.twin !== undefined) this.#remove(entry.twin);
  }

  // Code of this scheduling state has called shouldYield(): see ShouldYieldRules.
  ask(question) {
    this.trace.push('ask', question.answer);
    this.#shouldYieldRules.judge(question);
  }

  // The callback of a task has returned or thrown: how its promise is to settle, and whether that
  // is so at once.
  end(entry, expected, isKnownNow) {
    const { abortSource } = entry.state;
    if (abortSource !== undefined) remove(abortSource.entries, entry);
    if (entry.expected !== undefined) return;
    entry.expected = expected;
    if (isKnownNow) this.taskIsOver(entry, OUTCOMES[expected[0]]);
    if (entry.joins === undefined && !entry.hasPromise) this.#thrown.push(expected[1]);
    else if (isKnownNow) this.#react(entry);
  }

  // The promise of a task settles.
  taskIsOver(entry, outcome) {
    if (this.isOver) this.successor?.taskIsOver(entry, outcome);
    else this.#settles(entry, outcome);
  }

  #settles(entry, outcome) {
    if (entry.isOver) return;
    this.idleness.settle(entry, outcome);
    this.#watcher?.settled(entry, outcome);
    entry.whenOver?.();
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
    const [expectedHow, expectedValue] = entry.expected ?? ['nothing'];
    if (how !== expectedHow || !isExpected(expectedValue, value)) {
      const expected = `${expectedHow}, ${inspect(expectedValue)}`;
      this.fail('settled', entry.name, `is ${how}, ${inspect(value)}, instead of ${expected}`);
    }
    if (entry.abortedBy !== undefined) this.#judgeAbortOrder(entry);
  }

  #judgeAbortOrder(entry) {
    const first = entry.abortedBy.find((other) => other.hasPromise && !other.isJudged);
    entry.isJudged = true;
    if (first !== entry) this.fail('abort', entry.name, 'is rejected before', first.name);
  }

  // Signals.

  // A signal is about to be aborted.
  abort(signal, reason) {
    this.trace.push('abort', signal.name);
    for (const aborted of signal.abort(reason)) {
      const all = aborted.entries.splice(0);
      const entries = all.filter(({ kind }) => kind !== 'drain');
      if (all.length > entries.length) this.idleness.cancel(reason);
      for (const entry of entries) {
        entry.abortedBy = entries;
        if (entry.leave !== undefined) this.changeRuns(entry.leave);
        this.#remove(entry);
        this.#settles(entry, 'aborted');
        this.#reject(entry, reason);
      }
    }
  }

  // The priority of a signal is about to change.
  changePriority(signal, priority) {
    this.changeRuns(() => {
      this.trace.push('setPriority', signal.name, priority);
      this.#change([signal], () => (signal.priority = priority));
    });
  }

  // Calls `change`, which can change the priorities of runs of shared tasks.
  changeRuns(change) {
    this.#change(this.#runs, change);
  }

  // Calls `change`, which changes the priorities of these sources, and does what follows.
  #change(sources, change) {
    const before = sources.map((source) => RANKS[source.priority]);
    change();
    for (const [index, source] of sources.entries()) {
      const after = RANKS[source.priority];
      if (after !== before[index]) this.#move(source, after > before[index]);
    }
  }

  // The priority of what follows a source has changed.
  #move(source, isRaised) {
    for (const entry of this.waiting) {
      if (entry.state.prioritySource !== source) continue;
      this.#shouldYieldRules.refresh();
      // If raised, it counts as if posted now, except for its age.
      if (isRaised) entry.phase = this.phase;
    }
    if (this.idleness.isDraining) this.idleness.refuseLowered(source);
  }

  // Exceptions.

  throws(error) {
    this.trace.push('throw');
    this.#rules.excuse();
    this.#liveness.excuse();
    this.#shouldYieldRules.excuse();
    this.#thrown.push(error);
  }

  uncaught(error) {
    this.trace.push('uncaught');
    const expected = this.#thrown.findIndex((each) => isExpected(each, error));
    if (expected < 0) this.fail('exception', error?.stack ?? error);
    this.#thrown.splice(expected, 1);
    this.#shouldYieldRules.excuse();
    this.leaveAll();
  }

  // Whether something is outstanding that keeps the loop alive.
  isWaiting() {
    return this.#liveness.isHeld();
  }

  // Whether `beforeExit` is to be emitted again: see Liveness.
  get comesAgain() {
    return this.#liveness.comesAgain();
  }

  // Whether callbacks of the loop may be outstanding.
  hasCallbacks() {
    return this.#liveness.hasCallbacks();
  }

  // The loop has run empty. `main` is the body of the program, if it went on after its first
  // callback.
  finish(main) {
    this.isOver = true;
    this.#liveness.judgeEnd(this.#entries, main);
    if (this.#thrown.length > 0) this.fail('lost', `${this.#thrown.length} exceptions`);
    if (this.hasPending()) this.fail('lost', 'ticks or microtasks');
    this.#watcher?.finish(this.hasNested, this.#failWatching);
    this.#tellEnd();
  }
}

// Says whether it was there.
function remove(list, item) {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
  return index >= 0;
}

module.exports = { Model };
