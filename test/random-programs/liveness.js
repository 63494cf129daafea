'use strict';

// The rules on the life of the loop: which entries keep it alive, and which may be left when it has
// run empty: only entries with `ref: false` that had no turn while the loop lived. Judges what the
// model knows, and changes nothing there.

const { USER_BLOCKING, USER_VISIBLE, USER_VISIBLE_CONTINUATION, rank } = require('./states.js');

// A delay that no program lasts for, in milliseconds.
const FAR = 600_000;

// Phases behind which the loop asks whether it is alive before it comes to a check phase.
const BEFORE_THE_END = ['main', 'first timers', 'timers', 'immediates', 'closing'];

// Phases behind which timers may be those of the pass before the loop's first turn.
const IN_FIRST_PASS = ['main', 'unknown', 'first timers'];

class Liveness {
  #model;
  // Something that keeps the loop alive waits, or has waited since the last check phase: it is the
  // check phase that lets the loop end.
  #wasHeld = false;
  // A task that kept the loop alive has started.
  #hasStarted = false;
  // Callbacks of the loop that are outstanding and keep it alive.
  #callbacks = 0;

  constructor(model) {
    this.#model = model;
  }

  // A callback of the loop is about to be set; then it has come, and `phase` is the one before it.
  expect(isOptional) {
    if (!isOptional) this.#callbacks++;
  }

  arrive(isOptional, phase) {
    if (!isOptional) this.#callbacks--;
    // The loop has run its timers before the first turn, and the turn follows in any case.
    if (IN_FIRST_PASS.includes(phase)) this.#wasHeld = true;
  }

  // This entry waits, or waited until now.
  hold(entry) {
    if (entry.isReferenced) this.#wasHeld = true;
  }

  start(entry) {
    if (entry.isReferenced) this.#hasStarted = true;
  }

  // The check phase has ended.
  endCheck() {
    this.#wasHeld = this.isHeld();
  }

  // Whether something is outstanding that keeps the loop alive.
  isHeld() {
    if (this.#callbacks > 0) return true;
    for (const { isReferenced } of this.#model.waiting) if (isReferenced) return true;
    return false;
  }

  // In `beforeExit`, when nothing is outstanding that keeps the loop alive: whether `beforeExit` is
  // to be emitted again. Undefined if that is not certain.
  comesAgain() {
    // Node's own work for I/O may keep the loop alive as well.
    if (this.#model.isHeard) return undefined;
    // The loop is alive for a task that has run, also in the ticks of `beforeExit`.
    if (this.#hasStarted) return true;
    return this.#mayStart() ? undefined : false;
  }

  // Whether something that waits may yet start at a checkpoint.
  #mayStart() {
    const soon = performance.now() + FAR / 2;
    return [...this.#model.waiting].some((entry) => {
      return rank(entry) >= USER_VISIBLE_CONTINUATION && entry.earliest < soon;
    });
  }

  // A task starts in a check phase of which it is the first one known; `phase` is the one before.
  judgeFirstOfCheck(entry, phase) {
    const wasHeld = this.#wasHeld || this.isHeld();
    this.#wasHeld = false;
    if (wasHeld || this.#model.isHeard || !BEFORE_THE_END.includes(phase)) return;
    this.#model.fail('liveness', entry.name, 'runs though nothing kept the loop alive');
  }

  // The loop has run empty. Nothing may be left but what does not keep it alive, and the code that
  // waits for that: `main` is the body of the program.
  judgeEnd(entries, main) {
    const { waiting } = this.#model;
    for (const entry of waiting) this.#judgeLeft(entry);
    for (const entry of entries) {
      if (entry.isSettled || entry.kind === 'idle' || entry.kind === 'late') continue;
      if (!waiting.has(entry)) this.#model.fail('lost', entry.name, 'is not settled');
    }
    if (!main.isOver && !waiting.has(main.waitsFor)) {
      this.#model.fail('lost', 'the body of the program');
    }
    if (this.#callbacks > 0) this.#model.fail('lost', `${this.#callbacks} callbacks never ran`);
  }

  #judgeLeft(entry) {
    if (entry.isReferenced) {
      this.#model.fail('lost', entry.name, 'never started');
    } else if (this.#hadTurn(entry)) {
      this.#model.fail('lost', entry.name, `of rank ${rank(entry)} had its turn`, entry.phase);
    }
  }

  // Whether an entry had to start before the loop ran empty, in a checkpoint or check phase that
  // certainly came.
  #hadTurn(entry) {
    const { isSilent } = this.#model;
    const { isPromised, phase } = entry;
    if (!isPromised || phase === 'unknown') return false;
    const own = rank(entry);
    // The check phase always follows the poll phase.
    if (phase === 'poll') return own >= USER_VISIBLE && !this.#isBehindContinuation(own);
    return own >= USER_BLOCKING || (own === USER_VISIBLE_CONTINUATION && isSilent);
  }

  // Whether an entry waits behind a user-visible continuation. One that is queued during a check
  // phase yields to I/O that is ready, and because of the order so do all entries behind it.
  #isBehindContinuation(own) {
    const now = performance.now();
    return own < USER_VISIBLE_CONTINUATION && [...this.#model.waiting].some((entry) => {
      return rank(entry) === USER_VISIBLE_CONTINUATION && entry.earliest <= now;
    });
  }
}

module.exports = { FAR, IN_FIRST_PASS, Liveness };
