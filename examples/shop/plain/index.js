// Stands for uv-scheduler. Only the index is cut, by immediates, as one would do it in plain Node.

export const scheduler = { postTask: async (callback) => callback(), yield: async () => {} };
export const shouldYield = () => false;

const SLICE = 5;

export async function* pieces(items) {
  let end = performance.now() + SLICE;
  for (const item of items) {
    yield item;
    if (performance.now() < end) continue;
    await new Promise((resolve) => setImmediate(resolve));
    end = performance.now() + SLICE;
  }
}

// One run for all that wait, in the order in which it comes.
export class SharedTask {
  #callback;
  #run;

  constructor(callback) {
    this.#callback = callback;
  }

  join() {
    this.#run ??= this.#callback().finally(() => (this.#run = undefined));
    return this.#run;
  }
}
