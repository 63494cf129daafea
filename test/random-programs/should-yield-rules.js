'use strict';

// The answers that shouldYield() may give. True, if the slice is used up or something else would
// run before the continuation of a yield() now; else false. If only equals would, which have the
// rank of the continuation, it is true once the code has had its turn. Judges what the model knows,
// and only where that is certain; changes nothing there.
//
// An answer may be repeated for code that asks often. So the answer that is judged is the first one
// of a callback, of a priority, or since something of the scheduler has changed, or the last one of
// REPEATED + 1 in a row.

const { knowsTurns, longestSlice } = require('./settings.js');
const {
  BACKGROUND_CONTINUATION, USER_BLOCKING, USER_VISIBLE, isOverdueAt, mayBeOverdue, rank,
} = require('./states.js');

// How often an answer may be repeated.
const REPEATED = 3;

// By how many milliseconds a timer can be due for Node and not yet for libuv.
const TIMER_TOLERANCE = 3;

class ShouldYieldRules {
  #model;
  #program;
  // Whether the next answer cannot be a repeated one.
  #isFresh = false;
  // The piece of code that has asked last, and its rank.
  #asker;
  #rank;
  // After an exception ticks are postponed, so that it is open where callbacks end.
  #isExcused = false;
  // Whether the callback under way may be an entry that was overdue.
  #mayCatchUp = false;

  constructor(model, program) {
    this.#model = model;
    this.#program = program;
  }

  // Something has changed that the scheduler itself knows of.
  refresh() {
    this.#isFresh = true;
  }

  // An entry starts.
  start(entry) {
    this.#mayCatchUp = entry.isLeft || mayBeOverdue(entry, this.#program);
    this.refresh();
  }

  // Another callback begins.
  callback() {
    this.#mayCatchUp = false;
  }

  excuse() {
    this.#isExcused = true;
  }

  // Code of this scheduling state has asked so many times in a row, the first time at `before`. An
  // undefined state is an unknown one.
  judge({ answer, state, times, before }) {
    const isFresh = this.#isFresh || times > REPEATED;
    const isOther = this.#isOther(state);
    this.#isFresh = false;
    const hadTurn = this.#hadTurn(state, before);
    if (state === undefined || !(isFresh || isOther)) return;
    const own = rank({ isContinuation: true, state });
    const first = this.#whatComesFirst(own, before, hadTurn);
    if (first !== undefined && !answer) {
      this.#model.fail('shouldYield', `is false in code of rank ${own}, but`, first);
    }
    if (answer && this.#comesStraightBack(own, hadTurn)) {
      this.#model.fail('shouldYield', `is true in code of rank ${own}, but nothing comes first`);
    }
  }

  // Whether it is known that other code has asked before. Reactions may count as the same code.
  #isOther(state) {
    const { current } = this.#model;
    const own = state && rank({ isContinuation: true, state });
    const isOther = own !== this.#rank ||
      (current !== this.#asker && !(isReaction(current) && isReaction(this.#asker)));
    this.#asker = current;
    this.#rank = own;
    return isOther;
  }

  // Whether the code has had its turn; undefined if that is not certain.
  #hadTurn(state, before) {
    const { current, hasNested, turns } = this.#model;
    const own = state && rank({ isContinuation: true, state });
    const hadTurn = turns.ask(current, own, before);
    return hasNested || this.#isExcused ? undefined : hadTurn;
  }

  // Why the code has to yield, as far as that is certain.
  #whatComesFirst(own, before, hadTurn) {
    const { current, hasNested, phase, waiting } = this.#model;
    let hasEquals = false;
    // An overdue entry has its turn whatever else waits below user-blocking work.
    const isCatchingUp = this.#mayCatchUp && hadTurn !== true;
    for (const entry of waiting) {
      if (isCatchingUp && rank(entry) < USER_BLOCKING) continue;
      const isQueued = entry.delay === 0 || entry.latest <= before;
      if (isQueued && rank(entry) > own) return `${entry.name} is queued`;
      // The continuation would be the youngest of its rank.
      hasEquals ||= rank(entry) === own;
      const isEqual = isQueued && rank(entry) === own;
      if (isEqual && hadTurn === true) return `${entry.name} is queued, and it has had its turn`;
      // Overdue background work counts only once per turn.
      const counts = own < USER_BLOCKING && rank(entry) >= USER_VISIBLE;
      if (counts && isOverdueAt(entry, this.#program, before)) return `${entry.name} is overdue`;
    }
    if (hasNested || isCatchingUp) return undefined;
    // The turn began before the task, at the latest.
    const isTask = current?.kind === 'task';
    const slice = longestSlice(this.#program);
    if (isTask && before - current.since > slice) return 'the slice is used up';
    // An equal that was queued before the check phase runs in any case.
    if (phase !== 'check' || (hasEquals && own >= USER_VISIBLE)) return undefined;
    return this.#whatIsRunnable(own, before);
  }

  // A callback that would come first, known only in the check phase: elsewhere it depends on what
  // libuv and Node have taken notice of.
  #whatIsRunnable(own, before) {
    if (own >= USER_BLOCKING) return undefined;
    const { lastTimers, runnable, share } = this.#model;
    if (own >= USER_VISIBLE && share.has(before)) return undefined;
    for (const { kind, since } of runnable) {
      if (since >= before) continue;
      if (kind === 'timer' && lastTimers + TIMER_TOLERANCE >= before) continue;
      if (kind === 'io' || own === BACKGROUND_CONTINUATION) return `${kind} is runnable`;
    }
    return undefined;
  }

  // Whether it is certain that nothing would come before the continuation. For code that is not
  // user-blocking only where no I/O can be ready.
  #comesStraightBack(own, hadTurn) {
    const { phase, isSilent, waiting } = this.#model;
    if (!knowsTurns(this.#program)) return false;
    const now = performance.now();
    for (const entry of waiting) {
      const mayBeQueued = entry.delay === 0 || entry.earliest <= now;
      const least = hadTurn === false ? own + 1 : own;
      if (mayBeQueued && rank(entry) >= least) return false;
      // Entries that another program has left can be overdue by bounds of their own.
      if (own < USER_BLOCKING && entry.maxWait !== undefined) return false;
      // The scheduler's own timer counts for background code, and libuv keeps it in whole
      // milliseconds.
      const isTimed = entry.delay > 0 && entry.earliest <= now + TIMER_TOLERANCE;
      if (isTimed && own === BACKGROUND_CONTINUATION) return false;
    }
    if (own > USER_BLOCKING) return true;
    if (!isSilent) return false;
    if (own > BACKGROUND_CONTINUATION) return true;
    return phase === 'check' && !this.#model.hasCallbacks();
  }
}

// Whether an activity is or may be a promise reaction: a program that begins in `beforeExit` may.
function isReaction(activity) {
  return activity?.kind === 'micro' || activity?.kind === 'main';
}

module.exports = { REPEATED, ShouldYieldRules };
