'use strict';

// Finds the waits for which a fairness key is the cure: a task without a key waited while another
// chain without a key, of the same priority, went on piece by piece. Continuations come before the
// tasks of their priority, so such a chain delays new tasks until it ends. Times are in
// nanoseconds.
//
// A piece that takes longer than the bound itself does not count: the fault is then the piece,
// which no key would have ended.

const { History } = require('./history.js');

class Chains {
  #bound;
  #history;
  // By task.
  #chains = new WeakMap();
  // In place of a task, for continuations of code outside of tasks.
  #outside = {};

  // `bound` is the time above which the pieces of a chain are a fault, `resolution` that of the
  // history.
  constructor(bound, resolution) {
    this.#bound = bound;
    this.#history = new History(resolution);
  }

  // A step has run. Only continuations without a key count. The periods are in order.
  add({ entry, isCounted, fairness, priority }, start, end) {
    if (!isCounted || !entry.isContinuation || fairness !== undefined) return;
    const time = end - start;
    if (time > this.#bound) return;
    const task = entry.task ?? this.#outside;
    let chain = this.#chains.get(task);
    if (chain?.priority !== priority) {
      chain = { kind: 'task', priority };
      this.#chains.set(task, chain);
    }
    this.#history.add(start, end, [[chain, time]]);
  }

  // Whether the pieces of one chain took longer than the bound while the task of this step waited.
  delayed({ entry, isCounted, fairness, priority, startedAt }, queuedAt) {
    if (!isCounted || !entry.isTask || fairness !== undefined) return false;
    for (const [chain, time] of this.#history.read(queuedAt, startedAt)) {
      if (chain.priority === priority && time > this.#bound) return true;
    }
    return false;
  }
}

module.exports = { Chains };
