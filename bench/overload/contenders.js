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
  defaults: 'createAdmission(), default bounds',
  cutting: 'createAdmission(), pages in pieces',
};

// Of @fastify/under-pressure, in ms.
const PRESSURE = { maxEventLoopDelay: 200, sampleInterval: 250 };

// How long a request may wait until it is refused, in ms. No class has less than ten pages' time.
const REFUSE_AFTER = { 'user-blocking': 800, 'user-visible': 250, background: 250 };

const priorityOf = ({ url }) => classOf(url.slice(1))?.priority;

// A server of node:http or node:http2 without TLS.
const serve = (listener, isHttp2) =>
  (isHttp2 ? http2.createServer(listener) : http.createServer(listener));

function createPlain(isHttp2) {
  return serve((request, response) => response.end(render()), isHttp2);
}

async function createPressure(isHttp2) {
  const app = require('fastify')({ http2: isHttp2, keepAliveTimeout: 0 });
  await app.register(require('@fastify/under-pressure'), PRESSURE);
  app.get('/:name', async () => render());
  await app.ready();
  return app.server;
}

function createTooBusy(isHttp2) {
  const isTooBusy = require('toobusy-js');
  return serve((request, response) => {
    if (isTooBusy()) response.writeHead(503).end();
    else response.end(render());
  }, isHttp2);
}

function createPriorities(isHttp2) {
  const { scheduler } = require('../..');
  const { controllerFor } = require('uv-scheduler/http');
  return serve(async (request, response) => {
    const { signal } = controllerFor(response, { priority: priorityOf(request) });
    try {
      await scheduler.postTask(() => response.end(render()), { signal });
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
    }
  }, isHttp2);
}

function admitting(listener, isHttp2, refuseAfter = REFUSE_AFTER) {
  const { createAdmission } = require('uv-scheduler/http');
  let arriving = null;
  const admission = createAdmission({
    classify: priorityOf,
    refuseAfter,
    refuse(request, response) {
      const when = request === arriving ? 'arrival' : 'later';
      response.writeHead(503, { [REFUSED]: when, 'retry-after': '1' }).end();
    },
  });
  const handle = admission.handler(listener);
  return serve((request, response) => {
    arriving = request;
    handle(request, response);
    arriving = null;
  }, isHttp2);
}

const answerPage = (request, response) => response.end(render());

const createAdmitting = (isHttp2) => admitting(answerPage, isHttp2);

const createDefaults = (isHttp2) => admitting(answerPage, isHttp2, {});

// The pages end early when their visitors leave, and are sent whole, as those of the others are.
function createCutting(isHttp2) {
  const { currentTaskSignal, pieces } = require('../..');
  return admitting(async (request, response) => {
    let page = '';
    const signal = currentTaskSignal();
    for await (const piece of pieces(piecesOfPage(), { signal })) page += piece;
    response.end(page);
  }, isHttp2);
}

const CREATE = {
  plain: createPlain,
  pressure: createPressure,
  toobusy: createTooBusy,
  priorities: createPriorities,
  admission: createAdmitting,
  defaults: createDefaults,
  cutting: createCutting,
};

// Resolves to a server that does not listen yet.
const createContender = async ({ contender, isHttp2 }) => CREATE[contender](isHttp2);

module.exports = { NAMES, PAGE_MS, PRESSURE, REFUSE_AFTER, createContender };
