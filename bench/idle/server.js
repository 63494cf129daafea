'use strict';

// A server process: answers pages of about 3 ms of work and small requests, and does background
// work in its main thread or in worker threads. Its argument are its options:
// { contender, threads, sizes }.

const { once } = require('node:events');
const http = require('node:http');
const { Worker } = require('node:worker_threads');
const { cpuSince } = require('../harness/processes');
const { readOptions, serve } = require('../harness/server');
const { createBackground } = require('./contenders');
const { renderPage, warmUp } = require('./work');

const THREAD = require.resolve('./contenders');

// The background work of all threads, as one.
async function createThreads(options, pieces) {
  const threads = [];
  for (let thread = 0; thread < options.threads; thread++) {
    const worker = new Worker(THREAD, { workerData: { options, pieces, thread } });
    await once(worker, 'message');
    threads.push(worker);
  }
  const tell = (command) => () => threads.forEach((worker) => worker.postMessage(command));
  return { start: tell('start'), stop: tell('stop') };
}

async function main(options) {
  const { sizes, threads } = options;
  const pieces = new Int32Array(new SharedArrayBuffer(4 * Math.max(1, threads)));
  warmUp(sizes);
  const background = threads === 0
    ? createBackground(options, pieces, 0) : await createThreads(options, pieces);
  const server = http.createServer((request, response) => {
    response.end(request.url === '/page' ? renderPage(sizes.page) : 'ok');
  });
  // Milliseconds of processor time, and the pieces of each thread, since the start.
  serve(server, { ...background, read: () => ({ cpu: cpuSince(), pieces: [...pieces] }) });
}

main(readOptions());
