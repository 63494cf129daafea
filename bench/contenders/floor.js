'use strict';

// The floor as a contender: each task is a promise, resolved in an empty callback scope of a native
// loop. A scheduler can only cost more. This file has the queue that the loop takes tasks from; the
// parent process compiles the addon and names it in the environment.

class Floor {
  #addon;
  #queue = [];
  #head = 0;
  #words = new Uint32Array(1);

  constructor(addon) {
    this.#addon = addon;
  }

  post = (task) => new Promise((resolve) => this.#add(task, resolve));
  yield = () => new Promise((resolve) => this.#add(undefined, resolve));
  inside = (callback) => this.post(callback);

  open() {
    this.#addon.start(this.#run, this.#words);
  }

  close() {
    this.#addon.stop();
  }

  #add(task, resolve) {
    this.#queue.push(task, resolve);
    this.#words[0]++;
  }

  #run = () => {
    const queue = this.#queue;
    const task = queue[this.#head];
    const resolve = queue[this.#head + 1];
    this.#head += 2;
    if (this.#head === queue.length) {
      queue.length = 0;
      this.#head = 0;
    }
    resolve(task?.());
  };
}

// Returns undefined if there was no compiler.
function load() {
  const addon = process.env.UV_SCHEDULER_BENCH_FLOOR;
  return addon === undefined ? undefined : new Floor(require(addon));
}

module.exports = { load };
