// An export of fifty years that Hono streams in pieces, so that other requests are answered
// meanwhile.

import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { pieces, scheduler } from 'uv-scheduler';
import { controllerFor, shutDown } from 'uv-scheduler/http';
import { priorityOf } from '../shared/classes.mjs';
import { shutDownOnSignals } from '../shared/shut-down.mjs';
import { MONTHS, linesOf } from './orders.js';

const app = new Hono();

// Costs nothing, so it needs no task: the export gives way as soon as the request has come.
app.get('/health', (c) => c.text('ok\n'));

// Each request below has the priority of its class, and ends when its client leaves.
app.use(async (c, next) => {
  const priority = priorityOf(c.req.path, c.req.header('user-agent'));
  c.set('signal', controllerFor(c.req.raw.signal, { priority }).signal);
  await next();
});

// The stream that reads it calls this piece by piece, so it belongs to no task, and says which
// signal its pieces have. They give way when somebody else waits, and end when the client has left.
async function* orders(signal) {
  let count = 0;
  try {
    for await (const month of pieces(Array(MONTHS).keys(), { signal })) {
      yield linesOf(month);
      count += 1;
    }
  } finally {
    if (count < MONTHS) {
      console.log(`/orders.csv: the client left; ${count} of ${MONTHS} months were exported`);
    }
  }
}

app.get('/orders.csv', (c) => {
  const body = ReadableStream.from(orders(c.get('signal'))).pipeThrough(new TextEncoderStream());
  return c.body(body, 200, { 'content-type': 'text/csv; charset=utf-8' });
});

// A checkout is served first, however many exports wait: its class is user-blocking.
app.post('/checkout', async (c) => {
  const lines = await scheduler.postTask(() => linesOf(MONTHS - 1), { signal: c.get('signal') });
  return c.text(`Thank you. This month:\n${lines}`, 201);
});

// Nobody waits for the statistics yet, so they are made while there is nothing else to do.
const statistics = { months: 0, bytes: 0 };
async function count() {
  while (statistics.months < MONTHS) {
    const { months } = statistics;
    const lines = await scheduler.postTask(() => linesOf(months), { priority: 'background' });
    statistics.months += 1;
    statistics.bytes += Buffer.byteLength(lines);
  }
  console.log('the statistics are ready: /statistics');
}

app.get('/statistics', (c) => c.json(statistics));

const options = { fetch: app.fetch, port: process.env.PORT ?? 3000, hostname: '127.0.0.1' };
const server = serve(options, ({ port }) => {
  console.log(`http://127.0.0.1:${port}/orders.csv`);
  count().catch((error) => {
    if (error.name !== 'AbortError') throw error;
    console.log('the statistics are not ready');
  });
});

// Exports that have begun are sent to their end. Background tasks are aborted.
shutDownOnSignals(server, shutDown);
