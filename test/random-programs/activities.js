'use strict';

// Which piece of a program's JavaScript is under way, and how many ticks and microtasks it has
// queued that have not run. Knows nothing of tasks and rules.
//
// Ticks that microtasks queue, and what they lead to, are exempt: they may come after the next task
// of a checkpoint drain.

class Activities {
  // The innermost piece; each is entered once and left.
  current;
  // When JavaScript of the program was last seen to run.
  lastTime = performance.now();
  pending = { plain: 0, exempt: 0 };

  enter(kind, isExempt = false) {
    this.current = { kind, isExempt, outer: this.current };
    this.lastTime = performance.now();
  }

  leave() {
    this.current = this.current.outer;
    this.lastTime = performance.now();
  }

  // Does `work` in the activity that was just entered, and leaves it.
  inside(work) {
    try {
      return work();
    } finally {
      this.leave();
    }
  }

  // A tick was queued; what is returned goes to `run`.
  tick() {
    const isExempt = this.current?.kind === 'micro' || this.current?.isExempt === true;
    return this.#count({ kind: 'tick', isExempt });
  }

  // A microtask was queued, or a reaction of a settled promise.
  micro() {
    return this.#count({ kind: 'micro', isExempt: this.current?.isExempt === true });
  }

  #count(queued) {
    this.pending[queued.isExempt ? 'exempt' : 'plain']++;
    return queued;
  }

  // Enters a tick or microtask that was queued; without one, it was not known when it would be.
  run(queued) {
    if (queued !== undefined) this.pending[queued.isExempt ? 'exempt' : 'plain']--;
    this.enter(queued?.kind ?? 'micro', queued?.isExempt);
  }

  // Whether ticks or microtasks are yet to run.
  hasPending() {
    return this.pending.plain + this.pending.exempt > 0;
  }
}

module.exports = { Activities };
