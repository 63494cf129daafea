'use strict';

// Owns background work that lasts as long as indexing and makes no garbage but its pauses. What it
// costs the pages is what sharing the thread costs; what indexing costs beyond that is its garbage.

const { createPacer } = require('../../examples/docs-site/markdown');

// About as many as one document takes.
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
    // It has no documents.
    added: 0,
    /** Milliseconds that it has held the thread since the start. */
    get busy() {
      return busy;
    },
  };
}

module.exports = { createGarbageFree };
