'use strict';

// Background work in one thread, in pieces that are counted in memory which threads share.

const { createContender } = require('./contenders');
const { indexWords } = require('./work');

/** @param {Int32Array} pieces the counts of all threads, of which `thread` is its own */
function createBackground(options, pieces, thread) {
  const contender = createContender(options);
  const piece = () => {
    indexWords(options.sizes.piece);
    pieces[thread] += 1;
  };
  return { start: () => contender.start(piece), stop: () => contender.stop() };
}

module.exports = { createBackground };
