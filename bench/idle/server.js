'use strict';

// A server process: answers pages of about 3 ms of work and small requests, and does background
// work in its main thread or in worker threads. Its argument are its options:
// { contender, threads, sizes }.

const { once } = require('node:events');
const http = require('node:http');
const path = require('node:path');
const { Worker } = require('node:worker_threads');

const { createBackground } = require('./background');
const { calibrate, renderPage, warmUp } = require('./work');

const THREAD = path.join(__dirname, 'thread.js');

/** The background work of all threads, as one. */
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

  const commands = {
    start: () => background.start(),
    stop: () => background.stop(),
    /** Milliseconds of processor time, and the pieces of each thread, since the start. */
    read() {
      const { user, system } = process.cpuUsage();
      return { cpu: (user + system) / 1000, pieces: [...pieces] };
    },
  };
  process.on('message', async ({ command }) => {
    process.send({ result: await commands[command]() });
  });

  const server = http.createServer((request, response) => {
    response.end(request.url === '/page' ? renderPage(sizes.page) : 'ok');
  });
  // Connections stay open however long they wait: opening one anew takes a turn of the loop.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => {
    process.send({ url: `http://127.0.0.1:${server.address().port}` });
  });
}

// Ctrl+C reaches the whole process group; the parent ends its children in its own order.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());

if (process.argv[2] === 'calibrate') process.send({ sizes: calibrate() });
else main(JSON.parse(process.argv[2]));
