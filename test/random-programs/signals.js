'use strict';

// Signals by the book: which are aborted and why, which priority each has, who follows whom. Owns
// the model's own view of them; shares no code with the signals that it is compared with.

class ModelSignal {
  isAborted = false;
  // A change is under way.
  isChanging = false;
  // Whom the change under way has yet to tell, of those that listen.
  untold = [];
  isHeard = false;
  // Tasks and continuations that this signal aborts, in the order they were posted.
  entries = [];
  #reason;
  #real;
  #priority;
  #dependents = [];
  #followers = [];

  // `root` is the signal whose priority it follows. One without a priority is no TaskSignal. `real`
  // is the signal itself where the host decides on the reason.
  constructor({ name, priority, root, isFixed = false, real }) {
    this.name = name;
    this.root = root;
    this.isFixed = isFixed;
    this.#real = real;
    this.#priority = priority;
  }

  // With several aborted sources, some versions of the host take the first in the list, others the
  // one that was first aborted.
  get reason() {
    return this.#real === undefined ? this.#reason : this.#real.reason;
  }

  get priority() {
    return this.root === undefined ? this.#priority : this.root.priority;
  }

  get isTaskSignal() {
    return this.priority !== undefined;
  }

  set priority(priority) {
    this.#priority = priority;
  }

  // The signal that a task's priority follows, if it can change.
  get prioritySource() {
    return this.isTaskSignal && !this.isFixed ? (this.root ?? this) : undefined;
  }

  // `priority`: one of the three, the signal to follow, or undefined for a signal without one.
  static any(name, signals, priority, real) {
    const source = priority instanceof ModelSignal ? priority : undefined;
    const root = source?.prioritySource;
    const fixed = source === undefined ? priority : source.priority;
    const made = new ModelSignal({
      name,
      priority: root === undefined ? fixed : undefined,
      root,
      isFixed: root === undefined,
      real,
    });
    made.isAborted = signals.some((signal) => signal.isAborted);
    for (const signal of signals) signal.#dependents.push(made);
    root?.#followers.push(made);
    return made;
  }

  // Aborts it and all that depend on it; returns those that were not aborted before.
  abort(reason) {
    if (this.isAborted) return [];
    this.isAborted = true;
    this.#reason = reason;
    return [this, ...this.#dependents.flatMap((dependent) => dependent.abort(reason))];
  }

  // The signal and its followers, in the order of their events for a change.
  told() {
    return [this, ...this.#followers];
  }
}

module.exports = { ModelSignal };
