'use strict';

// The floor as a contender: a promise, and an empty callback scope of a native loop in which it is
// resolved. Whatever a scheduler does comes on top. Owns the queue that the loop takes tasks from;
// the addon is compiled by who starts the process, and named in its environment.

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

// Undefined where there was no compiler.
function load() {
  const addon = process.env.UV_SCHEDULER_BENCH_FLOOR;
  return addon === undefined ? undefined : new Floor(require(addon));
}

module.exports = { load };
