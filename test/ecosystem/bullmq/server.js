'use strict';

// A server with an IdleWorker. It answers requests with 'ok'. Jobs take as many steps of 5 ms as
// their data says, and then append their id to a file. Sends what happens to the tests.

const fs = require('node:fs');
const http = require('node:http');
const { scheduler } = require('uv-scheduler');
const { IdleWorker } = require('uv-scheduler/bullmq');

const { connection, queue, file, options } = JSON.parse(process.argv[2]);

const CLOSINGS = { deadline: { giveBackAfter: 0, forceAfter: 500 }, force: true };

const send = (type, rest = {}) => process.send({ type, ...rest });

function busy(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

async function processor(job, token, signal) {
  send('started', { id: job.id, pid: process.pid });
  signal.addEventListener('abort', () => send('aborted', { id: job.id, name: signal.reason.name }));
  for (let i = 0; i < job.data.steps; i++) {
    busy(5);
    await scheduler.yield();
  }
  fs.appendFileSync(file, `${job.id}\n`);
  return process.pid;
}

const worker = new IdleWorker(queue, processor, { connection, drainDelay: 1, ...options });
worker.on('error', ({ message, code }) => send('error', { text: message || code }));

const server = http.createServer((request, response) => response.end('ok'));
server.listen(0, '127.0.0.1', () => send('listening', { port: server.address().port }));

// The thread stands still until a file is there.
function standStill(until) {
  while (!fs.existsSync(until)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

process.on('message', async (message) => {
  if (message.until !== undefined) {
    standStill(message.until);
    return;
  }
  await worker.close(CLOSINGS[message]);
  send('closed');
  server.close();
  process.disconnect();
});
