'use strict';

// A site as a process: `node --expose-gc site.js <protocol>`, forked. It has the lines that a user
// copies from README.md and docs/, and pages that await, stream, read bodies, throw and are late.
// It sends its port and its pages, at each message what is wrong with it once it is idle, and when
// it ends on SIGTERM what is wrong then.

const { once } = require('node:events');
const { readFile } = require('node:fs/promises');
const http = require('node:http');
const http2 = require('node:http2');
const { json } = require('node:stream/consumers');
const { setTimeout: sleep } = require('node:timers/promises');
const { createElement: h } = require('react');
const { renderToPipeableStream } = require('react-dom/server');
const { SharedTask, currentTaskSignal, pieces, scheduler } = require('uv-scheduler');
const { controllerFor, createAdmission, shutDown } = require('uv-scheduler/http');
const { Scheduled } = require('uv-scheduler/react');

const ROW = 'a row '.repeat(80);
const SECTIONS = 10;
const TIME_LIMIT = 100;

// Good visitors ask for those with an `end`, which is at the end of an answer; bad ones for all.
const PAGES = [
  { path: '/page', end: 'The end' },
  { path: '/react', end: `Section ${SECTIONS - 1}` },
  { path: '/profile', end: 'The profile' },
  { path: '/orders', method: 'POST', body: '{"number":7}', end: 'The order' },
  { path: '/broken' },
  { path: '/slow' },
];

// For how long a site may take to become idle, and how many requests may still be in memory then:
// Node keeps the last ones of its parsers, and with one of them all that came on its connection.
const PATIENCE = 20_000;
const FEW = 100;

// The requests that the admission was asked for; the errors that are faults of the site or of the
// package; and the requests that were not collected yet.
let arrived = 0;
const faults = [];
let alive = 0;

const registry = new FinalizationRegistry(() => alive--);

for (const event of ['uncaughtException', 'unhandledRejection', 'warning']) {
  process.on(event, (error) => faults.push(`${event}: ${error?.stack ?? error}`));
}

// A fault of the site.
class BrokenPage extends Error {}

const admission = createAdmission({
  classify({ headers }) {
    arrived++;
    return /bot|crawl|spider/i.test(headers['user-agent']) ? 'background' : 'user-visible';
  },
  refuseAfter: { 'user-visible': 250 },
});

function* rows() {
  for (let row = 0; row < 150; row++) yield `<p>${row} ${ROW}</p>\n`;
  yield '<p>The end</p>';
}

async function writePage(response) {
  const { signal } = controllerFor(response);
  for await (const row of pieces(rows(), { signal })) {
    if (!response.write(row)) await once(response, 'drain', { signal });
  }
  response.end();
}

const Section = ({ number }) => h('section', null, `Section ${number}. ${ROW}`);

function Page() {
  const sections = Array.from({ length: SECTIONS }, (_, number) =>
    h(Scheduled, { key: number, fallback: '…' }, h(Section, { number })));
  return h('html', null, h('body', null, sections));
}

function renderPage(response) {
  const { signal } = controllerFor(response);
  // drain() and fetch() reject with an error of this name, too.
  const isOfSite = (error) => error !== signal.reason && error?.name !== 'AbortError';
  const { pipe, abort } = renderToPipeableStream(h(Page), {
    onShellReady: () => pipe(response),
    onShellError() {
      if (!response.headersSent) response.writeHead(500).end('This page is not available.');
    },
    onError(error) {
      if (isOfSite(error)) faults.push(error.stack);
    },
  });
  signal.addEventListener('abort', () => abort(signal.reason));
}

// All visitors share it, so it must not end with the one who was the first to ask.
const loadName = new SharedTask(() => scheduler.wait(5).then(() => 'The profile'));

// Awaits all that there is.
async function profile() {
  const signal = currentTaskSignal();
  await sleep(2, undefined, { signal });
  const text = await readFile(__filename, { encoding: 'utf8', signal });
  const length = await scheduler.postTask(() => text.length, { signal });
  await scheduler.yield();
  return `${await loadName.join({ signal })} has ${length} characters`;
}

// Has no answer in time. Without an admission, the code has no signal of its own.
async function answerSlowly(response) {
  const timer = setTimeout(() => {
    controllerFor(response).abort(new DOMException('The page took too long', 'TimeoutError'));
    if (response.headersSent) response.destroy();
    else response.writeHead(503, { 'Retry-After': 5 }).end('Too slow. Try again.');
  }, TIME_LIMIT);
  response.once('close', () => clearTimeout(timer));
  const signal = currentTaskSignal() ?? controllerFor(response).signal;
  await scheduler.wait(1e9, { signal });
}

async function breakPage() {
  await scheduler.yield();
  throw new BrokenPage('the site is broken');
}

const takeOrder = async (body) => `The order has ${Object.keys(body ?? {}).length} members`;

async function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  switch (pathname) {
    case '/page': return writePage(response);
    case '/react': return renderPage(response);
    case '/profile': return response.end(await profile());
    case '/orders': return response.end(await takeOrder(await json(request)));
    case '/broken': return breakPage();
    case '/slow': return answerSlowly(response);
    default: return response.writeHead(404).end();
  }
}

// An error that a listener does not catch ends the process, but for the abort of its client. One
// that comes when a response is over is no fault: its visitor has left.
const handler = admission.handler(async (request, response) => {
  try {
    await answer(request, response);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    if (error instanceof SyntaxError || error.code === 'ERR_INVALID_URL') {
      response.writeHead(400).end();
    } else if (!controllerFor(response).signal.aborted && !response.destroyed) {
      if (!(error instanceof BrokenPage)) faults.push(error.stack);
      response.destroy();
    }
  }
});

// What is wrong, unless the site is at work.
function complaintsNow() {
  const counts = Object.values(admission.counts());
  const ended = counts.flatMap(({ admitted, refused, left, withdrawn }) =>
    [admitted, left, withdrawn, ...Object.values(refused)]).reduce((all, each) => all + each);
  const isAtRest = counts.every(({ queued, running }) => queued + running === 0);
  if (isAtRest && ended === arrived) return [...faults];
  return [...faults, `${arrived} have arrived: ${JSON.stringify(counts)}`];
}

// Waits until the site is idle, and few requests are in memory.
async function judge() {
  const isIdle = () => complaintsNow().length === faults.length && alive <= FEW;
  for (const end = performance.now() + PATIENCE; performance.now() < end && !isIdle();) {
    await sleep(10);
    global.gc();
  }
  const complaints = complaintsNow();
  return alive <= FEW ? complaints : [...complaints, `${alive} requests are still in memory`];
}

async function main(protocol) {
  const server = (protocol === 'http2' ? http2 : http).createServer();
  for (const event of ['request', 'checkContinue']) {
    server.on(event, (request, response) => {
      alive++;
      registry.register(request);
      handler(request, response);
    });
  }
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  process.on('message', async () => process.send(await judge()));
  process.once('SIGTERM', async () => {
    await shutDown(server, { timeout: 5_000 });
    // Node 20 never closes those of sessions of HTTP/2 that have failed.
    for (const socket of sockets) socket.destroy();
    process.send(await judge());
    process.disconnect();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send({ port: server.address().port, pages: PAGES });
}

main(process.argv[2]);
