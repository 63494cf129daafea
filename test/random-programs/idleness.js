'use strict';

// The contract of onIdle() and drain(): the tasks that they wait for, and drain()'s rejections and
// counts. Owns the tasks that run and the draining under way. Each rule here is certain. Only
// whether a delayed task that is due was queued before a drain() is open: its promise tells.

const { isPending } = require('./hooks.js');
const { NO_STATE, RANKS, rank } = require('./states.js');

// The kinds of entries that it waits for.
const COUNTS = { task: true, yield: true };

// How tasks below a priority, delayed ones, and what is left at the timeout are rejected.
const tooLow = (priority) => {
  return new RegExp(`^AbortError: drain\\(\\) runs no tasks below .*'${priority}'$`);
};
const TOO_LATE = /^AbortError: drain\(\) does not wait for delayed tasks$/;
const TIMED_OUT = /^TimeoutError: drain\(\) timed out after 0 ms$/;

class Counts {
  completed = { 'user-blocking': 0, 'user-visible': 0, 'background': 0 };
  failed = { ...this.completed };
  aborted = { ...this.completed };

  equals(counts) {
    return JSON.stringify(counts) === JSON.stringify(this);
  }
}

class Idleness {
  // onIdle() or drain() was called.
  isAsked = false;
  // Tasks from the start of their callback until their promises settle.
  running = new Set();
  #model;
  #draining;
  // The calls of onIdle().
  #asked = new Set();
  // drain() is being called: what it has done is known afterwards.
  #isCalling = false;

  constructor(model) {
    this.#model = model;
  }

  get isDraining() {
    return this.#draining !== undefined;
  }

  // Tasks.

  start(entry) {
    if (entry.kind === 'task') this.running.add(entry);
  }

  // The promise of a task settles.
  settle(entry, outcome) {
    if (entry.kind !== 'task' || entry.isOver) return;
    entry.isOver = true;
    this.running.delete(entry);
    if (this.#draining?.askers.has(entry) === false) this.#count(entry, outcome);
  }

  #count({ state: { prioritySource, priority } }, outcome) {
    this.#draining.counts[outcome][prioritySource?.priority ?? priority]++;
  }

  // The message with which a draining rejects an entry that is new or waits, if it does.
  reasonToRefuse(entry, isDelayed = entry.delay > 0) {
    if (entry.kind !== 'task') return undefined;
    const { lowest, priority } = this.#draining;
    if (rank(entry) < lowest) return tooLow(priority);
    return isDelayed ? TOO_LATE : undefined;
  }

  // The first entry that keeps the environment from being idle for these askers.
  blocker(askers) {
    const blocks = (entry) => {
      return entry.isReferenced && COUNTS[entry.kind] && !askers.has(entry);
    };
    return [...this.#model.waiting, ...this.running].find(blocks);
  }

  // The calls that wait, each with its askers.
  get #calls() {
    const calls = [...this.#asked].filter((entry) => entry.expected === undefined);
    return this.isDraining ? [...calls, this.#draining] : calls;
  }

  // Whether the tasks that ask wait for nothing but each other: all of them have asked for this.
  #isMutual() {
    return this.blocker(new Set(this.#calls.flatMap(({ askers }) => [...askers]))) === undefined;
  }

  #isOfRunning({ askers }) {
    return [...askers].some((asker) => asker?.isReferenced && this.running.has(asker));
  }

  // The first entry because of which a call may not end now. The others of tasks that wait for each
  // other end with it.
  #overlooked(call) {
    if (this.#isMutual()) {
      for (const each of this.#calls) each.endsWithOthers = this.#isOfRunning(each);
    }
    return call.endsWithOthers ? undefined : this.blocker(call.askers);
  }

  #hasToWait(call) {
    if (this.#isOfRunning(call) && this.#isMutual()) return false;
    return this.blocker(call.askers) !== undefined;
  }

  // onIdle().

  // The program has called onIdle() or drain(), which returned this promise.
  ask(entry, promise) {
    this.isAsked = true;
    this.#asked.add(entry);
    if (!isPending(promise)) {
      this.fulfil(entry);
      entry.reaction = this.#model.micro();
    } else if (this.blocker(entry.askers) === undefined) {
      this.#model.fail('onIdle', entry.name, 'waits for nothing');
    }
  }

  // Its promise has settled.
  fulfil(entry) {
    if (entry.expected !== undefined || this.#model.isOver) return;
    const blocker = this.#overlooked(entry);
    if (blocker !== undefined) this.#model.fail('onIdle', entry.name, 'overlooks', blocker.name);
    this.#model.withdraw(entry, ['fulfilled', undefined]);
  }

  // Whether a call may be left without an answer when the loop has run empty.
  mayBeLeft(entry) {
    if (entry.kind === 'drain') return this.isDraining && this.#hasToWait(this.#draining);
    return entry.kind === 'onIdle' && this.#hasToWait(entry);
  }

  // drain().

  // `call` calls it and returns its promise.
  drain(entry, { priority, timeout, asker }, call) {
    this.isAsked = true;
    const before = performance.now();
    this.#isCalling = true;
    const promise = call();
    this.#isCalling = false;
    this.#draining ??= {
      lowest: -Infinity, askers: new Set(), calls: [], counts: new Counts(), timer: undefined,
    };
    const draining = this.#draining;
    draining.calls.push(entry);
    draining.askers.add(asker);
    if (RANKS[priority] > draining.lowest) {
      Object.assign(draining, { lowest: RANKS[priority], priority });
      this.#refuse();
    }
    if (timeout === 0) this.#setTimer(before);
    if (isPending(promise)) {
      const blocker = this.blocker(this.#draining.askers);
      if (blocker === undefined) this.#model.fail('drain', entry.name, 'waits for nothing');
    } else {
      const { calls } = this.#draining;
      this.endDraining();
      for (const each of calls) each.reaction = this.#model.micro();
    }
    return promise;
  }

  #refuse() {
    for (const entry of [...this.#model.waiting]) {
      if (entry.kind === 'idle' || entry.kind === 'late') this.#model.cancel(entry);
      // An entry that is due may be queued.
      const isDue = entry.earliest <= performance.now();
      const isDelayed = entry.delay > 0 && (!isDue || !isPending(entry.promise));
      const reason = this.reasonToRefuse(entry, isDelayed);
      if (reason !== undefined) this.#model.refuse(entry, reason);
    }
  }

  // The priority of the queued tasks that follow a signal has changed.
  refuseLowered(signal) {
    for (const entry of [...this.#model.waiting]) {
      if (entry.state.prioritySource !== signal) continue;
      const reason = this.reasonToRefuse(entry, false);
      if (reason !== undefined) this.#model.refuse(entry, reason);
    }
  }

  // An entry for the timer: it keeps the loop alive, and runs like a continuation.
  #setTimer(before) {
    const state = { ...NO_STATE, priority: 'user-blocking' };
    if (this.#draining.timer !== undefined) return;
    const extra = { isContinuation: true, hasPromise: false };
    const timer = this.#model.makeEntry('expiry', state, extra);
    this.#draining.timer = timer;
    this.#model.post(timer, before);
  }

  // The promise of the draining settles: at its timeout, maybe within ticks, or by itself.
  endDraining({ hasExpired = false, isInTick } = {}) {
    const draining = this.#draining;
    if (this.#isCalling || draining === undefined || this.#model.isOver) return;
    const { calls, counts, timer } = draining;
    const blocker = this.#overlooked(draining);
    if (hasExpired && timer !== undefined) {
      this.#expire(isInTick);
    } else if (blocker !== undefined) {
      this.#model.fail('drain', calls[0].name, 'overlooks', blocker.name);
    }
    this.#end();
    for (const call of calls) this.#model.withdraw(call, ['fulfilled', counts]);
  }

  #expire(isInTick) {
    const { askers, timer } = this.#draining;
    this.#model.start(timer, isInTick);
    for (const entry of [...this.#model.waiting, ...this.running]) {
      if (!askers.has(entry)) this.#model.refuse(entry, TIMED_OUT);
    }
  }

  // A signal of a call was aborted.
  cancel(reason) {
    if (this.#draining === undefined) return;
    const { calls } = this.#draining;
    this.#end();
    for (const call of calls) {
      this.#model.withdraw(call, ['rejected', reason]);
      call.reaction = this.#model.micro();
    }
  }

  #end() {
    const { timer } = this.#draining;
    this.#draining = undefined;
    if (timer !== undefined) this.#model.cancel(timer);
  }
}

// Whether a promise has settled with what was expected.
function isExpected(expected, value) {
  if (expected instanceof Counts) return expected.equals(value);
  if (typeof expected === 'function') return expected(value);
  if (!(expected instanceof RegExp)) return value === expected;
  return value instanceof DOMException && expected.test(`${value.name}: ${value.message}`);
}

module.exports = { Idleness, isExpected };
