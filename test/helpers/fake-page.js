'use strict';

// Stands for the global object of a page in tests: a clock that moves only when the test says so,
// and a scheduler that runs its tasks when the test asks for them, by the order of the web.

const RANKS = { 'background': 0, 'user-visible': 2, 'user-blocking': 4 };
const DEFAULT = 'user-visible';

class Scheduler {
  // The posted entries, as texts: the operation with its options.
  posted = [];
  #queue = [];
  #current = DEFAULT;

  postTask(callback, { priority, signal, delay } = {}) {
    const own = priority ?? signal?.priority ?? DEFAULT;
    this.posted.push(`postTask ${own}${delay === undefined ? '' : ` ${delay}`}`);
    return this.#enqueue(callback, own, RANKS[own], signal);
  }

  // Has no options, as in browsers.
  yield() {
    this.posted.push('yield');
    return this.#enqueue(() => {}, this.#current, RANKS[this.#current] + 1);
  }

  #enqueue(callback, priority, rank, signal) {
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const task = { run: () => resolve(callback()), priority, rank };
      this.#queue.push(task);
      signal?.addEventListener('abort', () => {
        this.#queue = this.#queue.filter((each) => each !== task);
        reject(signal.reason);
      });
    });
  }

  // Runs the oldest of the most urgent tasks, with all microtasks that follow. Returns whether
  // there was one.
  async run() {
    const [next] = [...this.#queue].sort((one, other) => other.rank - one.rank);
    if (next === undefined) return false;
    this.#queue.splice(this.#queue.indexOf(next), 1);
    this.#current = next.priority;
    next.run();
    await new Promise(setImmediate);
    return true;
  }

  async runAll() {
    await new Promise(setImmediate);
    while (await this.run());
  }
}

class TaskController extends AbortController {}
class TaskSignal {}
class TaskPriorityChangeEvent {}
class IdleDeadline {}

// `changes` are properties that replace others or, if undefined, remove them.
function fakePage(changes = {}) {
  const page = {
    time: 0,
    isInputPending: false,
    idleCallbacks: new Map(),
    scheduler: new Scheduler(),
    Scheduler,
    TaskController,
    TaskSignal,
    TaskPriorityChangeEvent,
    IdleDeadline,
    queueMicrotask,
    performance: { now: () => page.time },
    navigator: { scheduling: { isInputPending: () => page.isInputPending } },
    requestIdleCallback(callback) {
      if (this !== undefined && this !== page) throw new TypeError('Illegal invocation');
      page.idleCallbacks.set(page.idleCallbacks.size + 1, callback);
      return page.idleCallbacks.size;
    },
    cancelIdleCallback(handle) {
      if (this !== undefined && this !== page) throw new TypeError('Illegal invocation');
      page.idleCallbacks.delete(handle);
    },
    ...changes,
  };
  return page;
}

module.exports = { fakePage };
