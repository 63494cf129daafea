// A server that answers at once that it has accepted an order, and works it off afterwards. On
// SIGTERM it takes no more orders, works off those that it has accepted, and ends.

import { createHash } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { scheduler, shouldYield } from 'uv-scheduler';
import { shutDown } from 'uv-scheduler/http';

const JOURNAL = process.env.JOURNAL ?? path.join(import.meta.dirname, 'orders.log');
const ROUNDS = 2000;

let isClosing = false;
let accepted = 0;
let done = 0;

// Stands for the work of your own application. The task runs until its promise settles, so it is
// not done before the line is written.
async function workOff(order) {
  let receipt = `order ${order}`;
  for (let round = 0; round < ROUNDS; round++) {
    receipt = createHash('sha256').update(receipt).digest('hex');
    // Goes straight on while nobody else waits.
    if (shouldYield()) await scheduler.yield();
  }
  await appendFile(JOURNAL, `${order} ${receipt}\n`);
  done += 1;
}

function accept(res) {
  const order = ++accepted;
  scheduler.postTask(() => workOff(order)).catch((error) => {
    console.error(`order ${order}:`, error);
    process.exitCode = 1;
  });
  res.writeHead(202).end(`${order}\n`);
}

// Work that can be made again after a shutdown belongs in background tasks: they are aborted.
async function rebuildCache() {
  for (let entry = 0; ; entry++) {
    await scheduler.postTask(() => createHash('sha256').update(`${entry}`).digest('hex'), {
      priority: 'background',
    });
  }
}

const server = http.createServer((req, res) => {
  // A connection that was open before can still bring requests.
  if (isClosing) return res.writeHead(503, { connection: 'close' }).end('closing\n');
  if (req.method === 'POST' && req.url === '/orders') return accept(res);
  if (req.url === '/health') return res.end('ok\n');
  res.writeHead(404).end();
});

server.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  console.log(`${url}/orders (post one with: curl -X POST ${url}/orders)`);
  rebuildCache().catch((error) => {
    if (error.name !== 'AbortError') throw error;
    console.log('the cache is not rebuilt');
  });
});

async function end() {
  isClosing = true;
  const ended = shutDown(server, { timeout: 10_000 });
  console.log(`accepted ${accepted} orders, of which ${accepted - done} are left to do`);
  console.log('ended:', await ended);
  console.log(`${accepted - done} orders are lost`);
}
process.once('SIGTERM', end);
process.once('SIGINT', end);
