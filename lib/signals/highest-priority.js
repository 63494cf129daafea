'use strict';

// A TaskSignal whose priority is the highest of several sources: its own priority, fixed
// priorities, and signals, which it follows. Adding or removing a source takes constant time.
//
// One HighestPriority can follow another. A change first moves the queues of all of them and then
// calls the listeners, so that no code sees an outdated priority. A signal refers weakly to its
// followers: a run that never ends can be collected while the signal lives.

const { nextTick } = require('../loop/platform.js');
const { announceChange, makeTaskSignal, prioritySlots } = require('./task-signal.js');

// Removes collected followers from the signals that they followed.
const registry = new FinalizationRegistry(({ reference, followed }) => {
  for (const followers of followed.keys()) followers.delete(reference);
});

// The HighestPriority objects that follow one signal.
class Followers {
  #references = new Set();

  add(reference) {
    this.#references.add(reference);
  }

  delete(reference) {
    this.#references.delete(reference);
  }

  // The priority of the signal with these slots has changed. Updates the signals that follow it,
  // and those that follow them. Returns those that have changed; the caller must announce them.
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
  // For each followed signal, by its Followers, as the registry must not refer to the signals: how
  // often the signal is a source, and the priority under which it is counted.
  #followed = new Map();
  #reference = undefined;
  #own;
  // The last priority that was announced to the listeners.
  #announced;

  // `priority` is the minimum.
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

  // Removes all sources except its own priority.
  end() {
    for (const followers of this.#followed.keys()) followers.delete(this.#reference);
    this.#followed.clear();
    if (this.#reference !== undefined) registry.unregister(this);
    this.#counts = countsOf(this.#own);
    this.#refresh();
  }

  // Counts a followed signal under its current priority. If the highest priority changes, moves the
  // queues and returns true.
  recount(source) {
    const entry = this.#followed.get(source.followers);
    if (entry === undefined || entry.priority === source.priority) return false;
    this.#counts[entry.priority] -= entry.count;
    this.#counts[source.priority] += entry.count;
    entry.priority = source.priority;
    return this.#move();
  }

  // Fires the events of completed changes. Returns the first error of an overridden
  // `dispatchEvent`. If a listener changes the priority again, that change is announced last.
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

  // No caller of setPriority() could catch the error of an overridden `dispatchEvent` here, so it
  // becomes an uncaught exception, like an error of a listener.
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

// The source to add for a TaskSignal: a fixed priority, or the slots of the signal itself or of the
// signal that it follows.
function sourceOf(signal) {
  const slots = prioritySlots(signal);
  return slots.isFixed ? slots.priority : slots.decisive;
}

module.exports = { HighestPriority, sourceOf };
