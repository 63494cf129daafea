'use strict';

// The rules of the contract on every start of a task and every callback of the loop. Judges what
// the model knows, and changes nothing there. Which work is ready at a time, and for how long work
// goes on beside other callbacks, core/tests/simulated_loop judges exactly, on a clock of its own.

const { USER_BLOCKING, USER_VISIBLE, USER_VISIBLE_CONTINUATION, rank } = require('./states.js');

// Entries that are queued in one of these phases are there when the next check phase begins.
const BEFORE_CHECK = ['main', 'first timers', 'timers', 'poll', 'closing'];

class Rules {
  #model;
  // The last check phase left a continuation that was queued in it: the continuation yields to
  // ready I/O, and so do all tasks behind it.
  #hasGivenWay = false;

  constructor(model) {
    this.#model = model;
  }

  // A callback of the loop begins; the model still has the phase before it.
  judgeCallback({ kind }) {
    this.#judgePending(kind, false);
    if (this.#model.phase === 'check') this.#hasGivenWay = this.#leavesContinuation();
    const mustWait = kind === 'immediate' && !this.#hasGivenWay;
    for (const entry of this.#model.waiting) {
      const { isPromised, name, phase } = entry;
      // It may not be queued, or not known since when.
      if (!isPromised || phase === 'unknown') continue;
      // No callback comes before user-blocking work, but I/O of the poll phase it was posted in.
      if (rank(entry) >= USER_BLOCKING && (kind !== 'io' || phase !== 'poll')) {
        this.#model.fail('user-blocking', kind, 'overtakes', name);
      }
      // No immediate comes before what was queued when the check phase began.
      if (mustWait && rank(entry) >= USER_VISIBLE && BEFORE_CHECK.includes(phase)) {
        this.#model.fail('user-visible', 'an immediate overtakes', name);
      }
    }
  }

  // A task starts, which the model still counts as waiting.
  judgeStart(entry, isInTick) {
    const own = rank(entry);
    if (performance.now() < entry.earliest) {
      const early = entry.earliest - performance.now();
      this.#model.fail('delay', entry.name, `starts ${early} ms early`);
    }
    this.#judgeOrder(entry, own);
    this.#judgePending(entry.name, isInTick && own >= USER_VISIBLE_CONTINUATION);
    if (isInTick && own <= USER_VISIBLE) {
      this.#model.fail('checkpoint', entry.name, `of rank ${own} starts within ticks`);
    }
  }

  // Checks that an entry is the oldest of the highest effective priority.
  #judgeOrder(entry, own) {
    const now = performance.now();
    for (const other of this.#model.waiting) {
      if (other === entry) continue;
      if (other.delay > 0) {
        if (other.latest > this.#model.lastTime) continue;
        // This choice queued it at the latest.
        other.queuedBy ??= now;
      }
      const otherRank = rank(other);
      if (otherRank > own || (otherRank === own && isOlder(other, entry))) {
        const them = `${entry.name} (rank ${own}) starts before ${other.name}`;
        this.#model.fail('order', `${them} (rank ${otherRank})`);
      }
    }
  }

  // All ticks and microtasks of what ran before have run.
  #judgePending(name, isAtCheckpoint) {
    const { plain, exempt } = this.#model.pending;
    if (plain === 0 && (exempt === 0 || isAtCheckpoint)) return;
    const exempted = `, and ${exempt} of microtasks`;
    this.#model.fail('macrotask', `${name} starts before ${plain} ticks or microtasks${exempted}`);
  }

  #leavesContinuation() {
    const now = performance.now();
    return [...this.#model.waiting].some(({ isContinuation, delay, earliest, phase }) =>
      isContinuation && (delay > 0 ? earliest <= now : phase === 'check'));
  }
}

// Whether that is certain: the time at which a delayed task was queued is not.
function isOlder(one, other) {
  if (one.delay === 0 && other.delay === 0) return one.order < other.order;
  if (one.delay === 0) return one.time < other.earliest;
  if (other.delay === 0) return one.queuedBy < other.time;
  return one.latest <= other.earliest && one.order < other.order;
}

module.exports = { Rules };
