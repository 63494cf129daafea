// An export of some years that Fastify streams in pieces, so that other requests are answered
// meanwhile.

import { Readable } from 'node:stream';
import fastify from 'fastify';
import { scheduler, shouldYield } from 'uv-scheduler';
import { controllerFor, shutDown } from 'uv-scheduler/http';
import { priorityOf } from '../shared/classes.mjs';
import { linesOf } from './orders.js';

const DAYS = 1000;
const app = fastify();

// The stream that reads it calls this piece by piece, so it belongs to no task, and says which
// signal its continuations have.
async function* orders(signal) {
  let count = 0;
  try {
    yield 'date,order,product,price\n';
    while (count < DAYS) {
      yield linesOf(count++);
      // Goes straight on while nobody else waits. Rejects when the client has left.
      if (shouldYield()) await scheduler.yield({ signal });
    }
  } finally {
    if (count < DAYS) {
      console.log(`/orders.csv: the client left; ${count} of ${DAYS} days were exported`);
    }
  }
}

// Each request has the priority of its class, and ends when its client leaves.
app.decorateRequest('taskSignal', null);
app.addHook('onRequest', async (request, reply) => {
  const priority = priorityOf(request.routeOptions.url, request.headers['user-agent']);
  request.taskSignal = controllerFor(reply.raw, { priority }).signal;
});

// Costs nothing, so it needs no task: the export gives way as soon as the request has come.
app.get('/health', async () => 'ok\n');

// The signal's priority is that of the continuations.
app.get('/orders.csv', async ({ taskSignal: signal }, reply) => {
  return reply.type('text/csv').send(Readable.from(orders(signal)));
});

// A checkout is served first, however many exports wait: its class is user-blocking.
app.post('/checkout', async ({ taskSignal: signal }, reply) => {
  const lines = await scheduler.postTask(() => linesOf(DAYS - 1), { signal });
  return reply.code(201).send(`Thank you. You are number ${lines.split('\n').length} today.\n`);
});

// A short answer that somebody waits for: it overtakes all exports.
const params = { type: 'object', properties: { day: { type: 'integer', minimum: 0 } } };
app.get('/days/:day', { schema: { params } }, async (request, reply) => {
  const { day } = request.params;
  const lines = await scheduler.postTask(() => linesOf(day), { priority: 'user-blocking' });
  return reply.type('text/csv').send(lines);
});

// Nobody waits for the statistics yet. Each day is a background task, which runs only while there
// is nothing else to do.
const statistics = { days: 0, bytes: 0 };
async function count() {
  while (statistics.days < DAYS) {
    const { days } = statistics;
    const lines = await scheduler.postTask(() => linesOf(days), { priority: 'background' });
    statistics.days += 1;
    statistics.bytes += Buffer.byteLength(lines);
  }
  console.log('the statistics are ready: /statistics');
}

app.get('/statistics', async () => statistics);

async function main() {
  const url = await app.listen({ port: process.env.PORT ?? 3000, host: '127.0.0.1' });
  console.log(`${url}/orders.csv`);
  await count();
}

main().catch((error) => {
  if (error.name !== 'AbortError') throw error;
  console.log('the statistics are not ready');
});

// Exports that have begun are sent to their end. Background tasks are aborted. By itself, Fastify
// would wait for the spare connections of browsers.
async function end() {
  console.log('ended:', await shutDown(app.server, { timeout: 10_000 }));
  await app.close();
}
process.once('SIGTERM', end);
process.once('SIGINT', end);
