'use strict';

// What the contract says of a program that runs, checked at every start of a callback. Owns the
// program's tasks, ticks, microtasks and callbacks from the call to the end, and each rule that a
// start is judged by. Knows the program from what it is told, and of the scheduler nothing.
//
// The loop is real, so what depends on the time is only held against the scheduler where it is
// certain. The measure is `lastTime`, when JavaScript of the program was last seen to run before a
// start: what was due then was due when the scheduler chose, however long the machine took to get
// from the choice to the start.

const { Trace } = require('./trace.js');

const RANKS = { 'background': 0, 'user-visible': 2, 'user-blocking': 4 };
const IDLE = -1;
const BACKGROUND_CONTINUATION = 1;
const USER_VISIBLE = 2;
const USER_VISIBLE_CONTINUATION = 3;
const USER_BLOCKING = 4;

// The state outside any task.
const NO_STATE = { abortSource: undefined, prioritySource: undefined, priority: 'user-visible' };

// Which phase of the loop a callback tells of.
const PHASES = { timer: 'timers', immediate: 'immediates', io: 'poll', close: 'closing' };

// What is queued in one of these is there when the next check phase begins.
const BEFORE_CHECK = ['main', 'timers', 'poll', 'closing'];

// Milliseconds. Node's timers are kept in whole ones, on a clock that stands still in a callback,
// and what its pass over them has left behind is due for libuv a millisecond after the pass. That
// no I/O is ready is believed for a tenth of one.
const TOLERANCES = { timer: 3, io: 0.2 };
const CLOCK_TOLERANCE = 0.001;

class Model {
  trace = new Trace();
  starts = 0;
  callbacks = 0;
  // The entries that wait, in a queue or for their delay.
  waiting = new Set();
  // The activity under way: a piece of JavaScript that is entered once and left.
  current;
  // With a slice that can be used up, who gets his turn when is open.
  hasLongSlice = true;
  // After an uncaught exception, ticks are postponed, and checkpoints with them.
  isExcused = false;
  lastTime = performance.now();
  #entries = [];
  #orders = 0;
  // Ticks and microtasks that are to run before anything else starts; `exempt` those that may come
  // after the next task of a checkpoint drain: ticks of microtasks, and what they lead to.
  #pending = { plain: 0, exempt: 0 };
  // 'unknown' where nothing has told yet.
  #phase;
  // The last check phase left a continuation that came in it: that gives way to I/O, and all tasks
  // behind it with it.
  #hasGivenWay = false;
  // When the program was last seen to run in a pass over timers.
  #lastTimers = -Infinity;
  // Counts check phases, as far as other callbacks come between them.
  #check = 0;
  // Callbacks that are known to be runnable, at the latest from a known time on.
  #runnable = new Set();
  #unfinished = 0;
  #thrown = new Set();
  #onViolation;

  constructor({ phase, onViolation }) {
    this.#phase = phase;
    this.#onViolation = onViolation;
  }

  fail(rule, ...words) {
    this.trace.push('!!', rule, ...words);
    this.#onViolation({ rule, what: words.join(' '), trace: this.trace.lines() });
  }

  // Activities.

  enter(kind, isExempt = false) {
    const activity = { kind, isExempt, outer: this.current };
    this.current = activity;
    this.lastTime = performance.now();
    return activity;
  }

  leave() {
    this.current = this.current.outer;
    this.lastTime = performance.now();
    if (this.#phase === 'timers') this.#lastTimers = this.lastTime;
  }

  // A tick was queued; what is returned goes to `run`.
  tick() {
    const isExempt = this.current?.kind === 'micro' || this.current?.isExempt === true;
    return this.#count({ kind: 'tick', isExempt });
  }

  // A microtask was queued: a reaction of a promise that is settled, too.
  micro() {
    return this.#count({ kind: 'micro', isExempt: this.current?.isExempt === true });
  }

  #count(queued) {
    this.#pending[queued.isExempt ? 'exempt' : 'plain']++;
    return queued;
  }

  #uncount(queued) {
    this.#pending[queued.isExempt ? 'exempt' : 'plain']--;
  }

  // Enters a tick or microtask that was queued. Without one, its time was not known.
  run(queued) {
    if (queued === undefined) return this.enter('micro');
    this.#uncount(queued);
    return this.enter(queued.kind, queued.isExempt);
  }

  // Callbacks of the loop: `expect` before one is set, `set` afterwards, as it can take any time.

  expect(kind) {
    this.#unfinished++;
    return { kind, since: undefined, isOver: false };
  }

  // It is runnable when so many milliseconds have passed, if it is known when.
  set(record, wait = 0) {
    const tolerance = TOLERANCES[record.kind] ?? 0;
    record.since = performance.now() + wait + tolerance;
    this.#runnable.add(record);
  }

  // Enters a callback of the loop.
  callback(record) {
    this.callbacks++;
    this.trace.push(record.kind);
    if (record.isOver) this.fail('once', `the ${record.kind} ran twice`);
    record.isOver = true;
    this.#unfinished--;
    this.#judgePending(record.kind, false);
    if (this.#phase === 'check') this.#hasGivenWay = this.#hasNewContinuation();
    this.#judgeOvertaken(record.kind);
    this.#runnable.delete(record);
    this.#phase = PHASES[record.kind];
    return this.enter(record.kind);
  }

  // Tasks, continuations and idle callbacks: an entry each.

  makeEntry(kind, state, extra) {
    const entry = {
      name: `${kind}${this.#entries.length}`,
      kind,
      state,
      delay: 0,
      isContinuation: kind === 'yield',
      // How its promise is to settle: [how, value]. Unknown until it has run or was aborted.
      expected: undefined,
      hasPromise: true,
      isSettled: false,
      isRunning: false,
      isStarted: false,
      ...extra,
    };
    this.#entries.push(entry);
    return entry;
  }

  // It was posted; the call began at `before`.
  post(entry, before = performance.now()) {
    const { abortSource } = entry.state;
    const time = performance.now();
    entry.time = time;
    entry.order = this.#orders++;
    entry.earliest = before + entry.delay;
    entry.latest = time + entry.delay + CLOCK_TOLERANCE;
    entry.phase = this.#phase;
    entry.check = this.#check;
    // When a delayed task is queued is the scheduler's choice.
    entry.isPromised = entry.delay === 0;
    this.trace.push('post', entry.name, `rank ${rank(entry)}`, describe(entry));
    if (abortSource?.isAborted) {
      this.#reject(entry, abortSource.reason);
      return;
    }
    abortSource?.entries.push(entry);
    this.waiting.add(entry);
  }

  #reject(entry, reason) {
    entry.expected = ['rejected', reason];
    entry.reaction = this.micro();
  }

  // It starts: `isInTick` when that is within the ticks of another callback.
  start(entry, isInTick) {
    this.starts++;
    const priority = rank(entry);
    this.trace.push('start', entry.name, `rank ${priority}`, isInTick ? 'checkpoint' : '');
    if (!this.waiting.has(entry)) {
      this.fail('once', entry.name, 'starts but does not wait:', describe(entry));
    }
    if (performance.now() < entry.earliest) {
      this.fail('delay', entry.name, `starts ${entry.earliest - performance.now()} ms early`);
    }
    this.#judgeOrder(entry, priority);
    this.#judgePending(entry.name, isInTick && priority >= USER_VISIBLE_CONTINUATION);
    if (isInTick && priority <= USER_VISIBLE) {
      this.fail('checkpoint', entry.name, `of rank ${priority} starts within ticks`);
    }
    if (!isInTick && this.#phase !== 'check') {
      this.#phase = 'check';
      this.#check++;
    }
    if (priority <= BACKGROUND_CONTINUATION) {
      this.#judgeQuiet(entry, this.lastTime);
    } else if (priority === USER_VISIBLE && isNew(entry, this.#check)) {
      // What was runnable when it was posted would have run if the phase had ended since.
      this.#judgeQuiet(entry, entry.time);
    }
    this.waiting.delete(entry);
    if (entry.twin !== undefined) this.waiting.delete(entry.twin);
    entry.isStarted = true;
    this.lastTime = performance.now();
  }

  // It is the oldest of the highest effective priority.
  #judgeOrder(entry, priority) {
    const now = performance.now();
    for (const other of this.waiting) {
      if (other === entry) continue;
      if (other.delay > 0) {
        if (other.latest > this.lastTime) continue;
        // This choice queued it at the latest.
        other.queuedBy ??= now;
      }
      const otherRank = rank(other);
      if (otherRank > priority || (otherRank === priority && isOlder(other, entry))) {
        const them = `${entry.name} (rank ${priority}) starts before ${other.name}`;
        this.fail('order', `${them} (rank ${otherRank})`);
      }
    }
  }

  #judgePending(name, isAtCheckpoint) {
    if (this.isExcused) return;
    const { plain, exempt } = this.#pending;
    if (plain === 0 && (exempt === 0 || isAtCheckpoint)) return;
    const exempted = `, and ${exempt} of microtasks`;
    this.fail('macrotask', `${name} starts before ${plain} ticks or microtasks${exempted}`);
  }

  // Nothing was runnable at that time that has not run yet.
  #judgeQuiet(entry, time) {
    for (const { kind, since } of this.#runnable) {
      if (kind === 'timer' && this.#lastTimers + TOLERANCES.timer >= time) continue;
      if (since < time) this.fail('quiet', entry.name, 'starts before', kind);
    }
  }

  #hasNewContinuation() {
    return [...this.waiting].some(({ isContinuation, phase }) => {
      return isContinuation && phase === 'check';
    });
  }

  // No callback comes before a task that has to run first.
  #judgeOvertaken(kind) {
    if (!this.hasLongSlice || this.isExcused) return;
    const queued = [...this.waiting].filter(({ isPromised, phase }) => {
      return isPromised && phase !== 'unknown';
    });
    const blocking = queued.find((entry) => {
      return rank(entry) >= USER_BLOCKING && (kind !== 'io' || entry.phase !== 'poll');
    });
    if (blocking !== undefined) this.fail('user-blocking', kind, 'overtakes', blocking.name);
    if (kind !== 'immediate') return;
    if (this.#hasGivenWay) return;
    const visible = queued.find((entry) => {
      return rank(entry) >= USER_VISIBLE && BEFORE_CHECK.includes(entry.phase);
    });
    if (visible !== undefined) this.fail('user-visible', 'an immediate overtakes', visible.name);
  }

  // Removes an idle callback that was cancelled.
  cancel(entry) {
    this.trace.push('cancel', entry.name);
    this.waiting.delete(entry);
    this.waiting.delete(entry.twin);
  }

  // The callback of a task has returned or thrown; `settles` tells how, or that only time will.
  end(entry, expected, isKnownNow) {
    entry.isRunning = false;
    const { abortSource } = entry.state;
    if (abortSource !== undefined) remove(abortSource.entries, entry);
    if (entry.expected !== undefined) return;
    entry.expected = expected;
    if (isKnownNow) entry.reaction = this.micro();
  }

  // The reaction of an entry's promise runs, and is entered.
  settle(entry, how, value) {
    this.run(entry.reaction);
    entry.reaction = undefined;
    this.trace.push('settled', entry.name, how);
    if (entry.isSettled) this.fail('once', `the promise of ${entry.name} settles twice`);
    entry.isSettled = true;
    const [expectedHow, expectedValue] = entry.expected ?? ['nothing'];
    if (how !== expectedHow || value !== expectedValue) {
      this.fail('settled', entry.name, `is ${how} with`, value, 'instead of', expectedHow);
    }
    if (entry.abortedBy !== undefined) this.#judgeAbortOrder(entry);
  }

  #judgeAbortOrder(entry) {
    const first = entry.abortedBy.find((other) => !other.isJudged);
    entry.isJudged = true;
    if (first !== entry) this.fail('abort', entry.name, 'is rejected before', first.name);
  }

  // Signals.

  // A signal is about to be aborted.
  abort(signal, reason) {
    this.trace.push('abort', signal.name);
    for (const aborted of signal.abort(reason)) {
      const entries = aborted.entries.splice(0);
      for (const entry of entries) {
        entry.abortedBy = entries;
        this.waiting.delete(entry);
        this.#reject(entry, reason);
      }
    }
  }

  // The priority of a signal is about to change.
  changePriority(signal, priority) {
    const before = RANKS[signal.priority];
    signal.priority = priority;
    this.trace.push('setPriority', signal.name, priority);
    if (RANKS[priority] < before) return;
    for (const entry of this.waiting) {
      if (entry.state.prioritySource !== signal) continue;
      // It counts as if posted now, except for its age.
      entry.phase = this.#phase;
    }
  }

  // Exceptions.

  throws(error) {
    this.trace.push('throw');
    this.isExcused = true;
    this.#thrown.add(error);
  }

  uncaught(error) {
    this.trace.push('uncaught');
    if (!this.#thrown.delete(error)) {
      this.fail('exception', error?.stack ?? error);
    }
    // The activities that it left.
    this.current = undefined;
  }

  // The loop has run empty: nothing may be left.
  finish() {
    for (const entry of this.#entries) {
      if (this.waiting.has(entry)) this.fail('lost', entry.name, 'never started');
      const settles = entry.hasPromise && entry.expected?.[0] !== 'never';
      if (settles && !entry.isSettled) this.fail('lost', entry.name, 'is not settled');
    }
    if (this.#unfinished > 0) this.fail('lost', `${this.#unfinished} callbacks never ran`);
    if (this.#thrown.size > 0) this.fail('lost', `${this.#thrown.size} exceptions`);
    const { plain, exempt } = this.#pending;
    if (plain + exempt > 0) this.fail('lost', `${plain + exempt} ticks or microtasks`);
  }
}

function rank({ kind, isContinuation, state: { prioritySource, priority } }) {
  if (kind === 'idle') return IDLE;
  return RANKS[prioritySource?.priority ?? priority] + (isContinuation ? 1 : 0);
}

// Whether it came in the check phase that is under way.
function isNew(entry, check) {
  return entry.isPromised && entry.phase === 'check' && entry.check === check;
}

// Whether that is certain: the time at which a delayed task was queued is not.
function isOlder(one, other) {
  if (one.delay === 0 && other.delay === 0) return one.order < other.order;
  if (one.delay === 0) return one.time < other.earliest;
  if (other.delay === 0) return one.queuedBy < other.time;
  return one.latest <= other.earliest && one.order < other.order;
}

function describe({ delay, state: { abortSource, prioritySource }, isStarted, expected }) {
  const words = [];
  if (delay > 0) words.push(`delay ${delay}`);
  if (abortSource !== undefined) words.push(`aborted by ${abortSource.name}`);
  if (prioritySource !== undefined) words.push(`follows ${prioritySource.name}`);
  if (isStarted) words.push('was started');
  if (expected !== undefined) words.push(expected[0]);
  return words.join(', ');
}

function remove(list, item) {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
}

module.exports = { Model, NO_STATE };
