'use strict';

// How long the turn of the code that asks has lasted, and the quantum, by the contract: bounds for
// both, as the scheduler reads its clock at other moments than the program is seen to run.

// Milliseconds.
const LEAST = 1;

// Turns whose lengths differ by less than this part are of one length.
const TOLERANCE = 1 / 8;

// Two rounds count. That one has ended is known with the next start, so one more may count.
const ROUNDS = 3;

// The largest error of rounded times, in ms.
const CLOCK_TOLERANCE = 0.001;

// The length that no turn of a priority exceeds in the last rounds.
class Rounds {
  #began = -Infinity;
  // By round, the last one first.
  #most = [0];

  // An entry of the priority starts that was queued at that time at the earliest.
  start(queued, now) {
    if (queued <= this.#began) return;
    this.#began = now;
    this.#most = [0, ...this.#most].slice(0, ROUNDS);
  }

  add(length) {
    this.#most[0] = Math.max(this.#most[0], length);
  }

  get most() {
    return Math.max(...this.#most);
  }
}

// A turn lies between two callbacks that are seen: it begins after the last JavaScript before the
// first one, and has ended when the second one begins. As there may be tasks between them that are
// not seen, this length counts for every priority.
class Turns {
  #rounds = [new Rounds(), new Rounds(), new Rounds()];
  // The least duration of the last turn of each priority, if it was a task's.
  #least = [0, 0, 0];
  // The callback under way. A turn in it began after `after`; that of a task, which has a priority,
  // at `before` at the latest.
  #callback = { after: performance.now() };
  // The code that has asked last in the callback, and since when its turn has lasted.
  #asker;

  // A task starts, or what is like one. `lastTime` is when JavaScript was last seen to run.
  start(entry, rank, lastTime) {
    this.#end(lastTime, entry.time <= lastTime);
    const now = performance.now();
    const priority = Math.max(0, rank) >> 1;
    this.#rounds[priority].start(entry.earliest, now);
    this.#callback = { after: lastTime, before: now, priority };
  }

  // Any other callback begins.
  callback(lastTime) {
    this.#end(lastTime, false);
    this.#callback = { after: lastTime };
  }

  // Turns behind which nothing waits need not count, and in one with a question another turn may
  // have begun.
  #end(lastTime, hasWaited) {
    const { after, before, priority } = this.#callback;
    const length = performance.now() - after;
    for (const rounds of this.#rounds) rounds.add(length);
    const isKnown = hasWaited && this.#asker === undefined;
    if (priority !== undefined) this.#least[priority] = isKnown ? lastTime - before : 0;
    this.#asker = undefined;
  }

  // Code of this rank has asked, the first time at `before`. Returns whether it has had its turn;
  // undefined if that is not certain.
  ask(code, rank, before) {
    const now = performance.now();
    const since = this.#since(code);
    if (code !== this.#asker?.code) this.#asker = { code, since: since ?? now };
    const priority = rank >> 1;
    const least = Math.max(LEAST, this.#least[priority] * (1 - TOLERANCE));
    if (now - this.#callback.after < least - CLOCK_TOLERANCE) return false;
    const most = Math.max(LEAST, this.#rounds[priority].most);
    return before - since > most ? true : undefined;
  }

  // Since when the turn of this code has lasted at least.
  #since(code) {
    if (this.#asker === undefined) return code?.kind === 'task' ? this.#callback.before : undefined;
    return code !== undefined && code === this.#asker.code ? this.#asker.since : undefined;
  }
}

module.exports = { Turns };
