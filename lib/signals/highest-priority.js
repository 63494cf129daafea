'use strict';

// A TaskSignal whose priority is the highest of several: its own, fixed ones, and those of signals,
// which it follows. To add or remove one takes the same time however many there are.
//
// One can follow another. A change first goes through all of them and moves their queues, and then
// the listeners are called, so that no code sees a priority that is out of date. A signal refers
// weakly to those that follow it: a run that never ends can be collected while the signal lives.

const { nextTick } = require('../loop/intrinsics.js');
const { announceChange, makeTaskSignal, prioritySlots } = require('./task-signal.js');

// Removes collected ones from the signals that they have followed.
const registry = new FinalizationRegistry(({ reference, followed }) => {
  for (const followers of followed.keys()) followers.delete(reference);
});

// Those that follow one signal.
class Followers {
  #references = new Set();

  add(reference) {
    this.#references.add(reference);
  }

  delete(reference) {
    this.#references.delete(reference);
  }

  // The priority of the signal with these slots has changed: changes all priorities that depend on
  // it. Returns those that are another one then; the caller announces them.
  move(slots) {
    const moved = [];
    const changed = [slots];
    for (const source of changed) {
      if (source.followers === undefined) continue;
      for (const reference of source.followers.#references) {
        const follower = reference.deref();
        if (!follower?.recount(source)) continue;
        moved.push(follower);
        changed.push(follower.slots);
      }
    }
    return moved;
  }
}

class HighestPriority {
  controller = new AbortController();
  signal;
  slots;
  // By priority: how many of the sources have it.
  #counts;
  // By the Followers of each signal that it follows: how many of its sources that signal is, and
  // the priority that they are counted with. The registry must not hold the signals.
  #followed = new Map();
  #reference = undefined;
  #own;
  // The priority that the listeners of the signal know of.
  #announced;

  // `priority` is its own, below which it never falls.
  constructor(priority) {
    this.signal = makeTaskSignal(this.controller.signal, priority, false, undefined);
    this.slots = prioritySlots(this.signal);
    this.#own = priority;
    this.#counts = countsOf(priority);
    this.#announced = priority;
  }

  get priority() {
    return this.slots.priority;
  }

  // Adds a source: a priority, or the slots of the signal to follow; see sourceOf().
  add(source) {
    const priority = typeof source === 'string' ? source : this.#follow(source);
    if (++this.#counts[priority] === 1) this.#refresh();
  }

  delete(source) {
    const priority = typeof source === 'string' ? source : this.#unfollow(source);
    if (--this.#counts[priority] === 0) this.#refresh();
  }

  // Leaves nothing but its own priority.
  end() {
    for (const followers of this.#followed.keys()) followers.delete(this.#reference);
    this.#followed.clear();
    if (this.#reference !== undefined) registry.unregister(this);
    this.#counts = countsOf(this.#own);
    this.#refresh();
  }

  // Counts a signal that it follows with the priority that it has now. Returns whether the highest
  // is another one then, and moves the queues if so.
  recount(source) {
    const entry = this.#followed.get(source.followers);
    if (entry === undefined || entry.priority === source.priority) return false;
    this.#counts[entry.priority] -= entry.count;
    this.#counts[source.priority] += entry.count;
    entry.priority = source.priority;
    return this.#move();
  }

  // Fires the events of the changes that were made. Returns the first error of an overridden
  // `dispatchEvent`. Listeners can change the priority again, which is announced last.
  announce() {
    const { slots } = this;
    let failure;
    if (slots.isChanging) return failure;
    slots.isChanging = true;
    try {
      while (this.#announced !== slots.priority) {
        const previous = this.#announced;
        this.#announced = slots.priority;
        const other = announceChange(this.signal, previous);
        failure ??= other;
      }
    } finally {
      slots.isChanging = false;
    }
    return failure;
  }

  #follow(source) {
    source.followers ??= new Followers();
    let entry = this.#followed.get(source.followers);
    if (entry === undefined) {
      if (this.#reference === undefined) {
        this.#reference = new WeakRef(this);
        registry.register(this, { reference: this.#reference, followed: this.#followed }, this);
      }
      source.followers.add(this.#reference);
      entry = { count: 0, priority: source.priority };
      this.#followed.set(source.followers, entry);
    }
    entry.count++;
    return entry.priority;
  }

  #unfollow(source) {
    const entry = this.#followed.get(source.followers);
    if (--entry.count === 0) {
      this.#followed.delete(source.followers);
      source.followers.delete(this.#reference);
    }
    return entry.priority;
  }

  // No call of setPriority() can throw here, so the error of an overridden `dispatchEvent` is an
  // uncaught exception, as that of a listener is.
  #refresh() {
    if (!this.#move()) return;
    const moved = this.slots.followers?.move(this.slots) ?? [];
    for (const each of [this, ...moved]) {
      const failure = each.announce();
      if (failure !== undefined) nextTick(rethrow, failure.error);
    }
  }

  #move() {
    const highest = highestOf(this.#counts);
    if (highest === this.slots.priority) return false;
    this.slots.move(highest);
    return true;
  }
}

function countsOf(priority) {
  const counts = { 'user-blocking': 0, 'user-visible': 0, 'background': 0 };
  counts[priority]++;
  return counts;
}

function highestOf(counts) {
  if (counts['user-blocking'] > 0) return 'user-blocking';
  return counts['user-visible'] > 0 ? 'user-visible' : 'background';
}

function rethrow(error) {
  throw error;
}

// What to add for a TaskSignal: its priority if that is fixed; otherwise the slots of the signal
// that it is, or follows.
function sourceOf(signal) {
  const slots = prioritySlots(signal);
  return slots.isFixed ? slots.priority : slots.decisive;
}

module.exports = { HighestPriority, sourceOf };
