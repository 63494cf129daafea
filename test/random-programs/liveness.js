'use strict';

// What keeps the loop alive, and what may be left of a program when the loop has run empty: only
// what has `ref: false`, and only if it had no turn while the loop lived. Judges what the model
// knows, and changes nothing there.

const { FAR, knowsTurns } = require('./settings.js');
const { USER_BLOCKING, USER_VISIBLE, USER_VISIBLE_CONTINUATION, rank } = require('./states.js');

// Phases behind which the loop asks whether it is alive before it comes to a check phase.
const BEFORE_THE_END = ['main', 'timers', 'immediates', 'closing'];

class Liveness {
  #model;
  #knowsTurns;
  // Something that keeps the loop alive waits, or has waited since the last check phase: it is the
  // check phase that lets the loop end.
  #isHeld = false;
  isExcused = false;

  constructor(model, program) {
    this.#model = model;
    this.#knowsTurns = knowsTurns(program);
  }

  // After an uncaught exception Node keeps the loop alive for the ticks that it postpones, and
  // checkpoints are postponed with them.
  excuse() {
    this.isExcused = true;
  }

  // This entry waits, or waited until now.
  hold(entry) {
    if (entry.isReferenced) this.#isHeld = true;
  }

  // The check phase has ended.
  endCheck() {
    this.#isHeld = this.#model.isWaiting();
  }

  // A task starts in a check phase of which it is the first one known; `phase` is the one before.
  judgeFirstOfCheck(entry, phase) {
    const isHeld = this.#isHeld || this.#model.isWaiting();
    this.#isHeld = false;
    const { hasNested, isHeard } = this.#model;
    // What Node does for I/O may keep the loop alive, too.
    if (isHeld || isHeard || hasNested || this.isExcused) return;
    if (!BEFORE_THE_END.includes(phase)) return;
    this.#model.fail('liveness', entry.name, 'runs though nothing kept the loop alive');
  }

  // Whether something that waits may yet start at a checkpoint.
  mayStart() {
    const soon = performance.now() + FAR / 2;
    return [...this.#model.waiting].some((entry) => {
      return rank(entry) >= USER_VISIBLE_CONTINUATION && entry.earliest < soon;
    });
  }

  // The loop has run empty, and this entry waits.
  judgeLeft(entry) {
    if (entry.isReferenced) {
      this.#model.fail('lost', entry.name, 'never started');
    } else if (this.#hadTurn(entry)) {
      this.#model.fail('lost', entry.name, `of rank ${rank(entry)} had its turn`, entry.phase);
    }
  }

  // Whether the entry had to start before the loop ran empty, in a checkpoint or check phase that
  // certainly came.
  #hadTurn(entry) {
    const { hasNested, isSilent } = this.#model;
    const { isPromised, phase } = entry;
    if (!isPromised || phase === 'unknown' || !this.#knowsTurns) return false;
    if (hasNested || this.isExcused) return false;
    const own = rank(entry);
    // The check phase always follows the poll phase.
    if (phase === 'poll') return own >= USER_VISIBLE;
    return own >= USER_BLOCKING || (own === USER_VISIBLE_CONTINUATION && isSilent);
  }
}

module.exports = { Liveness };
