'use strict';

// Background work that lasts as long as indexing and makes no garbage except for its pauses. Its
// cost to the pages is the cost of sharing the thread; what indexing costs beyond that is garbage.

const { createPacer } = require('../../examples/docs-site/markdown');

// About as many chunks as one document takes.
const CHUNKS = 8;

function createGarbageFree(strategy) {
  let stopped = false;
  let running = null;
  let busy = 0;

  async function spin() {
    const pacer = createPacer(strategy.pauseBackground);
    for (let chunk = 0; chunk < CHUNKS && !stopped; chunk++) {
      const begin = performance.now();
      while (!pacer.due());
      busy += performance.now() - begin;
      await pacer.pause();
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
