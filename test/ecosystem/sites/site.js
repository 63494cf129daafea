'use strict';

// Owns what all sites of this folder have in common, whichever framework answers: the lines that a
// user copies from README.md and docs/, and pages that await, stream, read bodies, throw and share
// a cache. A site is a process, so its state is that of this module.

const { once } = require('node:events');
const { readFile } = require('node:fs/promises');
const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { setTimeout: sleep } = require('node:timers/promises');
const { register } = require('prom-client');
const { createElement: h } = require('react');
const { renderToPipeableStream } = require('react-dom/server');
const { SharedTask, currentTaskSignal, pieces, scheduler } = require('uv-scheduler');
const { controllerFor, createAdmission } = require('uv-scheduler/http');
const { Scheduled } = require('uv-scheduler/react');

const ROWS = 150;
const ROW = 'a row '.repeat(80);
const DISHES = 100;
const SECTIONS = 10;
const TIME_LIMIT = 100;

// So many visitors get the same menu.
const VISITORS = 20;

const JSON_BODY = { type: 'application/json', body: '{"number":7}' };

// Good visitors ask for those with an `end`, which is at the end of an answer; bad ones for all.
const PAGES = [
  { path: '/page', end: 'The end' },
  { path: '/react', end: `Section ${SECTIONS - 1}` },
  { path: '/menu', end: 'The menu' },
  { path: '/prices', end: 'The prices' },
  { path: '/profile', end: 'The profile' },
  { path: '/health', end: 'ok' },
  { path: '/metrics', end: 'uv_scheduler_time_seconds_total' },
  { path: '/orders', method: 'POST', ...JSON_BODY, end: 'The order' },
  { path: '/broken' },
  { path: '/broken-later' },
  { path: '/slow' },
];

// The requests that the admission was asked for, by priority; and the orders that were taken, and
// those that were kept.
const arrived = { 'user-blocking': 0, 'user-visible': 0, 'background': 0 };
const orders = { taken: 0, kept: 0 };

// The errors that the site has logged as faults of its own.
const faults = [];

// A fault of the site.
class BrokenPage extends Error {}

const URGENT = /^\/(checkout|health|metrics)/;

function classOf({ url, headers }) {
  if (URGENT.test(url)) return 'user-blocking';
  return /bot|crawl|spider/i.test(headers['user-agent']) ? 'background' : 'user-visible';
}

const admission = createAdmission({
  classify(request) {
    const priority = classOf(request);
    arrived[priority]++;
    return priority;
  },
  refuseAfter: { 'user-visible': 250 },
});

function* chunks() {
  for (let row = 0; row < ROWS; row++) yield `<p>${row} ${ROW}</p>\n`;
  yield '<p>The end</p>';
}

// The rows of a page, until its visitor leaves.
const rows = () => pieces(chunks(), { signal: currentTaskSignal() });

// Sends a page to a response of node:http or node:http2.
async function writePage(response) {
  const { signal } = controllerFor(response);
  for await (const row of rows()) {
    if (!response.write(row)) await once(response, 'drain', { signal });
  }
  response.end();
}

// The same, through a pipeline.
const pipePage = (response) => pipeline(Readable.from(rows()), response);

// All visitors share it, so it must not end with the one who was the first to ask.
async function loadMenu() {
  const dishes = [];
  for await (const dish of pieces(Array(DISHES).keys())) dishes.push(dish);
  await sleep(5);
  await scheduler.yield();
  return `The menu has ${dishes.length} dishes`;
}

let menu;
let visitors = 0;

function readMenu() {
  if (visitors++ % VISITORS === 0) menu = undefined;
  menu ??= loadMenu();
  return menu;
}

// The same, as urgent as the most urgent visitor who waits for it.
const loadPrices = new SharedTask(async () => {
  let count = 0;
  for await (const price of pieces(Array(DISHES).keys())) count += Math.sign(price + 1);
  await scheduler.wait(5);
  return `The prices of ${count} dishes`;
});

let prices;

async function readPrices() {
  if (visitors++ % VISITORS === 0) prices = undefined;
  return (prices ??= await loadPrices.join({ signal: currentTaskSignal() }));
}

// Awaits all that there is.
async function profile() {
  const signal = currentTaskSignal();
  await sleep(2, undefined, { signal });
  const text = await readFile(__filename, { encoding: 'utf8', signal });
  const length = await scheduler.postTask(() => text.length, { signal });
  await scheduler.yield();
  await scheduler.wait(1, { signal });
  return `The profile has ${length} characters`;
}

// Keeps an order, also when its visitor has left.
async function keep() {
  for (let step = 0; step < 5; step++) await scheduler.yield();
  await sleep(1);
  orders.kept++;
}

async function takeOrder(body) {
  orders.taken++;
  scheduler.postTask(keep);
  await scheduler.yield({ signal: currentTaskSignal() });
  return `The order has ${Object.keys(body ?? {}).length} members`;
}

function limit(response, time) {
  const timer = setTimeout(() => {
    controllerFor(response).abort(new DOMException('The page took too long', 'TimeoutError'));
    if (response.headersSent) response.destroy();
    else response.writeHead(503, { 'Retry-After': 5 }).end('Too slow. Try again.');
  }, time);
  response.once('close', () => clearTimeout(timer));
}

// Has no answer in time.
async function answerSlowly(response) {
  limit(response, TIME_LIMIT);
  // Without an admission, the code has no signal of its own.
  const signal = currentTaskSignal() ?? controllerFor(response).signal;
  await scheduler.wait(1e9, { signal });
}

const Section = ({ number }) => h('section', null, `Section ${number}. ${ROW}`);

function Page() {
  const sections = Array.from({ length: SECTIONS }, (_, number) =>
    h(Scheduled, { key: number, fallback: '…' }, h(Section, { number })));
  return h('html', null, h('body', null, sections));
}

// Sends a React page to a response of node:http or node:http2.
function renderPage(response) {
  const { signal } = controllerFor(response);
  // drain() and fetch() reject with an error of this name, too.
  const isOfSite = (error) => error !== signal.reason && error?.name !== 'AbortError';
  const { pipe, abort } = renderToPipeableStream(h(Page), {
    onShellReady() {
      response.setHeader('Content-Type', 'text/html');
      pipe(response);
    },
    onShellError() {
      if (!response.headersSent) response.writeHead(500).end('This page is not available.');
    },
    onError(error) {
      if (isOfSite(error)) faults.push(error.stack);
    },
  });
  signal.addEventListener('abort', () => abort(signal.reason));
}

function breakAtOnce() {
  throw new BrokenPage('the site is broken');
}

async function breakLater() {
  await scheduler.yield();
  throw new BrokenPage('the site is broken');
}

// Errors of the pages that are broken, and of parsers of requests that are, as each framework has
// them. multer gives its own no status.
function isExpected(error) {
  return error instanceof BrokenPage || error.status < 500 || error.statusCode < 500
    || error.message === 'Unexpected end of form';
}

// An error that comes when a response is over is no fault of the site: its visitor has left, maybe
// when the response was ended and not received yet. Returns whether it is a fault.
function logFault(error, response) {
  if (controllerFor(response).signal.aborted || response.destroyed) return false;
  if (!isExpected(error)) faults.push(error?.stack ?? String(error));
  return true;
}

// The pages that are a text, by path. Each function gets the response.
const texts = {
  '/health': async () => 'ok',
  '/metrics': () => register.metrics(),
  '/menu': readMenu,
  '/prices': readPrices,
  '/profile': profile,
  '/broken-later': breakLater,
  '/slow': answerSlowly,
};

module.exports = {
  PAGES, admission, arrived, breakAtOnce, faults, logFault, orders, pipePage, renderPage, takeOrder,
  texts, writePage,
};
