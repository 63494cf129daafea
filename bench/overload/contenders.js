'use strict';

// The servers that are compared. All answer the same requests with the same page, rendered in one
// go but for the one that is named so; they differ in which requests they answer when there are too
// many. Each has the settings that its documentation recommends, or, if that leaves them to the
// user, those that served the most visitors here.
//
// A page holds the thread for the same time on each machine, whatever else the machine does: on a
// virtual one, the speed of a processor may change by half within a minute.

const http = require('node:http');
const http2 = require('node:http2');
const { REFUSED } = require('../harness/clients');
const { classOf } = require('./visitors');

const PAGE_MS = 20;
const CHARACTERS = 16_384;

// Into how many pieces a page is cut.
const PIECES = 40;

const PAGE = '<p>A page</p>\n'.repeat(CHARACTERS / 14);

function hold(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

function render() {
  hold(PAGE_MS);
  return PAGE;
}

// The pieces of a page, each rendered when it is asked for.
function* piecesOfPage() {
  const length = Math.ceil(PAGE.length / PIECES);
  for (let i = 0; i < PIECES; i++) {
    hold(PAGE_MS / PIECES);
    yield PAGE.slice(i * length, (i + 1) * length);
  }
}

const NAMES = {
  plain: 'plain Node',
  pressure: '@fastify/under-pressure',
  toobusy: 'toobusy-js',
  priorities: 'priorities, controllerFor()',
  admission: 'createAdmission()',
  cutting: 'createAdmission(), pages in pieces',
};

// Of @fastify/under-pressure, in ms.
const PRESSURE = { maxEventLoopDelay: 200, sampleInterval: 250 };

// The longest that a request may wait until it is refused, in ms. No class has less
// than the time of ten pages.
const REFUSE_AFTER = { 'user-blocking': 800, 'user-visible': 250, background: 250 };

const priorityOf = ({ url }) => classOf(url.slice(1))?.priority;

const answerPage = (request, response) => response.end(render());

function createTooBusy() {
  const isTooBusy = require('toobusy-js');
  return (request, response) => {
    if (isTooBusy()) response.writeHead(503).end();
    else answerPage(request, response);
  };
}

function createPriorities() {
  const { scheduler } = require('../..');
  const { controllerFor } = require('uv-scheduler/http');
  return async (request, response) => {
    const { signal } = controllerFor(response, { priority: priorityOf(request) });
    try {
      await scheduler.postTask(() => answerPage(request, response), { signal });
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
    }
  };
}

function createAdmitting(listener = answerPage) {
  const { createAdmission } = require('uv-scheduler/http');
  let arriving = null;
  const handle = createAdmission({
    classify: priorityOf,
    refuseAfter: REFUSE_AFTER,
    refuse(request, response) {
      const when = request === arriving ? 'arrival' : 'later';
      response.writeHead(503, { [REFUSED]: when, 'retry-after': '1' }).end();
    },
  }).handler(listener);
  return (request, response) => {
    arriving = request;
    handle(request, response);
    arriving = null;
  };
}

// The pages end early when their visitors leave, and are sent whole, as those of the others are.
function createCutting() {
  const { currentTaskSignal, pieces } = require('../..');
  return createAdmitting(async (request, response) => {
    let page = '';
    const signal = currentTaskSignal();
    for await (const piece of pieces(piecesOfPage(), { signal })) page += piece;
    response.end(page);
  });
}

// The listeners of servers of node:http, or of node:http2 without TLS.
const LISTENERS = {
  plain: () => answerPage,
  toobusy: createTooBusy,
  priorities: createPriorities,
  admission: createAdmitting,
  cutting: createCutting,
};

async function createPressure(isHttp2) {
  const app = require('fastify')({ http2: isHttp2, keepAliveTimeout: 0 });
  await app.register(require('@fastify/under-pressure'), PRESSURE);
  app.get('/:name', async () => render());
  await app.ready();
  return app.server;
}

// Resolves to a server that does not listen yet.
async function createContender({ contender, transport }) {
  const isHttp2 = transport === 'http2';
  if (contender === 'pressure') return createPressure(isHttp2);
  return (isHttp2 ? http2 : http).createServer(LISTENERS[contender]());
}

module.exports = { NAMES, PAGE_MS, PRESSURE, REFUSE_AFTER, createContender };
