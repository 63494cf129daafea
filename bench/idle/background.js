'use strict';

// Background work in one thread, in pieces that are counted in memory which threads share. As a
// worker thread it does so when its server says so.

const { isMainThread, parentPort, workerData } = require('node:worker_threads');
const { createContender } = require('./contenders');
const { indexWords, warmUp } = require('./work');

/** @param {Int32Array} pieces the counts of all threads, of which `thread` is its own */
function createBackground(options, pieces, thread) {
  const contender = createContender(options.contender);
  const piece = () => {
    indexWords(options.sizes.piece);
    pieces[thread] += 1;
  };
  return { start: () => contender.start(piece), stop: () => contender.stop() };
}

function obeyServer({ options, pieces, thread }) {
  warmUp(options.sizes);
  const background = createBackground(options, pieces, thread);
  parentPort.on('message', (command) => background[command]());
  parentPort.postMessage('ready');
}

if (!isMainThread) obeyServer(workerData);

module.exports = { createBackground };
