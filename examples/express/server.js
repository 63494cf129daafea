// A report of fifty years that Express renders in pieces, so that other requests are answered
// meanwhile.

import { once } from 'node:events';
import express from 'express';
import { scheduler, shouldYield } from 'uv-scheduler';
import { controllerFor, shutDown } from 'uv-scheduler/http';
import { priorityOf } from '../shared/classes.mjs';
import { nameOf } from '../shared/orders.mjs';
import { shutDownOnSignals } from '../shared/shut-down.mjs';
import { summarise } from './orders.js';

const MONTHS = 600;
const app = express();

function renderMonth(month) {
  const rows = summarise(month).map(([product, sales]) => `<li>${product}: ${sales}</li>`);
  return `<h2>${nameOf(month)}</h2>\n<ul>${rows.join('')}</ul>\n`;
}

// Costs nothing, so it needs no task: the report gives way as soon as the request has come.
app.get('/health', (req, res) => res.send('ok\n'));

// Each request below has the priority of its class, and ends when its client leaves.
app.use((req, res, next) => {
  const priority = priorityOf(req.path, req.get('user-agent'));
  res.locals.signal = controllerFor(res, { priority }).signal;
  next();
});

// A long page: user-visible for visitors, and background work for crawlers.
app.get('/report', async (req, res) => {
  const { signal } = res.locals;
  let count = 0;
  async function render() {
    res.type('html').write('<!DOCTYPE html>\n<title>Report</title>\n');
    while (count < MONTHS) {
      const hasRoom = res.write(renderMonth(count++));
      // For a visitor who reads slowly.
      if (!hasRoom) await once(res, 'drain', { signal });
      // Goes straight on while nobody else waits. Rejects when the visitor has left.
      if (shouldYield()) await scheduler.yield();
    }
    res.end('<p>The end</p>\n');
  }
  try {
    await scheduler.postTask(render, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    console.log(`/report: the visitor left; ${count} of ${MONTHS} months were rendered`);
  }
});

// A checkout is served first, however many pages wait: its class is user-blocking.
app.post('/checkout', async (req, res) => {
  const { signal } = res.locals;
  const [best] = await scheduler.postTask(() => summarise(MONTHS - 1), { signal });
  res.status(201).send(`Thank you. Others bought a ${best[0]}.\n`);
});

// A short answer that somebody waits for: it overtakes all reports.
app.get('/month/:month', async (req, res) => {
  const month = Number(req.params.month);
  if (!Number.isInteger(month) || month < 0 || month >= MONTHS) return res.sendStatus(404);
  const render = () => renderMonth(month);
  res.send(await scheduler.postTask(render, { priority: 'user-blocking' }));
});

// Nobody waits for the totals yet. Each month is a background task, which runs only while there is
// nothing else to do.
const totals = new Map();
async function addUp() {
  for (let month = 0; month < MONTHS; month++) {
    const sales = await scheduler.postTask(() => summarise(month), { priority: 'background' });
    for (const [product, sum] of sales) totals.set(product, (totals.get(product) ?? 0) + sum);
  }
  console.log('the totals are ready: /totals');
}

app.get('/totals', (req, res) => res.json(Object.fromEntries(totals)));

// That a client has left is no error. It needs no answer.
app.use((error, req, res, next) => {
  if (error !== res.locals.signal?.reason) next(error);
});

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`http://127.0.0.1:${server.address().port}/report`);
  addUp().catch((reason) => {
    if (reason.name !== 'AbortError') throw reason;
    console.log('the totals are not ready');
  });
});

// Reports that have begun are sent to their end. Background tasks are aborted.
shutDownOnSignals(server, shutDown);
