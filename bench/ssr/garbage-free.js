'use strict';

// Background work that lasts as long as indexing and makes no garbage except for its pauses. Its
// cost to the pages is the cost of sharing the thread; what indexing costs beyond that is garbage.

// About as many pieces as one document takes, and how long each lasts.
const PIECES = 8;
const PIECE_MS = 0.25;

function createGarbageFree(strategy) {
  let stopped = false;
  let running = null;
  let busy = 0;

  async function spin() {
    const pacer = strategy.createBackgroundPacer();
    for (let piece = 0; piece < PIECES && !stopped; piece++) {
      const begin = performance.now();
      while (performance.now() - begin < PIECE_MS);
      busy += performance.now() - begin;
      if (pacer.due()) await pacer.pause();
    }
  }

  const worker = async () => {
    while (!stopped) await strategy.background(spin);
  };

  return {
    start({ width }) {
      stopped = false;
      running = Promise.all(Array.from({ length: width }, worker));
      return running;
    },
    async stop() {
      stopped = true;
      await running;
    },
    // This work adds no documents.
    added: 0,
    /** Milliseconds that it has held the thread since the start. */
    get busy() {
      return busy;
    },
  };
}

module.exports = { createGarbageFree };
