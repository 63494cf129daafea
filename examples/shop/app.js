// Owns the shop's Express application: which requests are admitted, how long they may take, and
// which page answers them.

import compression from 'compression';
import express from 'express';
import { createElement as h } from 'react';
import { register } from 'prom-client';
import { scheduler } from 'uv-scheduler';
import { controllerFor, createAdmission } from 'uv-scheduler/http';
import { collectTaskMetrics } from 'uv-scheduler/prometheus';
import { findRelated, readProducts, search } from './catalogue.js';
import { database } from './data.js';
import { Cart, List, Product, sendPage } from './pages.js';

const TIME_LIMIT = Number(process.env.TIME_LIMIT ?? 10_000);
const ON_LIST = Number(process.env.ON_LIST ?? 600);

export const app = express();
collectTaskMetrics({ register });

// In front of the admission and without a task: answered in any overload.
app.get('/health', (req, res) => res.send('ok\n'));
app.get('/metrics', async (req, res) => {
  res.type(register.contentType).send(await register.metrics());
});

// In front of the admission, so that the wait for it counts.
app.use((req, res, next) => {
  const timer = setTimeout(end, TIME_LIMIT, res);
  res.once('close', () => clearTimeout(timer));
  next();
});

function end(res) {
  controllerFor(res).abort(new DOMException('The page took too long', 'TimeoutError'));
  if (res.headersSent) res.destroy(); // An end() would make half a page look complete.
  else res.status(503).set('Retry-After', '5').send('Too slow. Try again.\n');
}

const isCrawler = (req) => /bot|crawl|spider/i.test(req.headers['user-agent']);

const admission = createAdmission({
  classify(req) {
    if (/^\/(cart|checkout)\b/.test(req.url)) return 'user-blocking';
    return isCrawler(req) ? 'background' : 'user-visible';
  },
});

app.use(admission.middleware);
app.use(compression());
app.use(express.json());

// The signal of a request: it is aborted when the visitor leaves, and by the time limit.
const signalOf = (res) => controllerFor(res).signal;

const sendTo = (req, res, page) =>
  sendPage(res, page, { isWhole: isCrawler(req), signal: signalOf(res) });

// Data first, then yield(): behind an await the code runs in the callback of the I/O, whatever the
// priority of its request. After the yield() it waits for its turn.
async function loaded(promise, res) {
  const data = await promise;
  await scheduler.yield({ signal: signalOf(res) });
  return data;
}

app.get('/', async (req, res) => {
  const products = await loaded(readProducts(), res);
  sendTo(req, res, h(List, { products: products.slice(0, ON_LIST) }));
});

app.get('/product/:id', async (req, res, next) => {
  const products = await loaded(readProducts(), res);
  const product = products.find(({ id }) => String(id) === req.params.id);
  if (product === undefined) return next();
  const related = await findRelated(product, signalOf(res));
  sendTo(req, res, h(Product, { product, related }));
});

app.get('/search', async (req, res) => {
  const products = await loaded(search(String(req.query.q ?? '')), res);
  sendTo(req, res, h(List, { products: products.slice(0, 20) }));
});

const visitorOf = (req) => req.get('cookie') ?? 'guest';

app.get('/cart', async (req, res) => {
  const products = await loaded(database.cart(visitorOf(req)), res);
  sendTo(req, res, h(Cart, { products }));
});

app.post('/cart', async (req, res) => {
  const isKnown = await database.addToCart(visitorOf(req), req.body?.id);
  if (isKnown) res.status(201).send('Added\n');
  else res.status(404).send('No such product\n');
});

// It names no signal: an order that has begun is completed, whether or not its visitor stays.
app.post('/checkout', async (req, res) => {
  const order = await database.order(visitorOf(req));
  res.status(201).json({ order });
});

// Express knows an error handler by its four parameters.
app.use((error, req, res, next) => {
  // The visitor has left, or the time limit has answered.
  if (signalOf(res).aborted || res.destroyed) return;
  if (res.headersSent) res.destroy();
  else next(error);
});
