'use strict';

// Asks a server: `node run.js <server>`. Prints as JSON, for the server without an admission, what
// becomes of the controllers of a request that is answered and of one whose client leaves. And with
// an admission: the effective priority of a yield() behind the parser for a request of each
// priority, what a refused request is answered, and what ends the work when the client leaves.

const assert = require('node:assert').strict;
const http = require('node:http');
const { controllerFor, createAdmission } = require('../../../dist/http.js');
const { currentTaskSignal, drain, scheduler } = require('../../..');
const { Observed, moment } = require('../../fixtures/http/observe.js');
const { PATIENT, listen, occupy, until } = require('../../helpers/admission.js');
const { effectivePriority } = require('../../helpers/tasks.js');

// More than one read of a socket.
const BODY = JSON.stringify({ text: 'a'.repeat(90_000) });

// In the place of an admission.
const NONE = {
  middleware: (request, response, next) => next(),
  admit: async (request, response, next) => next(),
  handler: (listener) => listener,
};

function startExpress({ middleware }, work) {
  const express = require('express');
  const app = express();
  app.use(middleware);
  app.post('/', express.json(), async (request, response) => response.send(await work(response)));
  return http.createServer(app);
}

async function startFastify({ admit }, work) {
  const app = require('fastify')();
  app.addHook('onRequest', (request, reply, done) => {
    admit(request.raw, reply.raw, done).catch(done);
  });
  app.post('/', (request, reply) => work(reply.raw));
  await app.ready();
  return app.server;
}

function startKoa({ admit }, work) {
  const app = new (require('koa'))();
  app.use((ctx, next) => admit(ctx.req, ctx.res, next));
  app.use(require('koa-bodyparser')());
  app.use(async (ctx) => {
    ctx.body = await work(ctx.res);
  });
  return http.createServer(app.callback());
}

async function startHono({ handler }, work) {
  const { Hono } = await import('hono');
  const { getRequestListener } = await import('@hono/node-server');
  const app = new Hono();
  app.post('/', async (c) => {
    await c.req.text();
    return c.text(await work(c.req.raw.signal));
  });
  return http.createServer(handler(getRequestListener(app.fetch)));
}

// The same server with each framework, as its users write one: an admission in front of a body
// parser. `start(admission, work)` returns the http.Server. `work(source)` resolves to the text
// of the answer to `POST /`, once the body was parsed; a controller is made of the source.
const SERVERS = {
  'express.json()': startExpress,
  "Fastify's parser": startFastify,
  'koa-bodyparser': startKoa,
  'Hono': startHono,
};

// Sends requests to a server that starts.
async function clientOf(start, admission, work) {
  const server = await start(admission, work);
  server.on('error', () => {});
  const url = `http://127.0.0.1:${await listen(server)}/`;
  return (priority, signal) => {
    const headers = { 'x-priority': priority, 'Content-Type': 'application/json' };
    return fetch(url, { method: 'POST', body: BODY, headers, signal });
  };
}

// A controller of the signal of a request, as Observed is one of a response.
class OfSignal {
  #source;

  constructor(source) {
    this.#source = source;
    this.controller = controllerFor(source);
  }

  toString() {
    const { aborted, reason } = this.controller.signal;
    if (!aborted) return 'not aborted';
    return reason === this.#source.reason ? 'reason of the signal' : 'another reason';
  }
}

// A client that comes, and leaves a moment after the work has begun.
async function comeAndLeave(send, hasBegun, beforeLeaving = () => {}) {
  const visitor = new AbortController();
  const left = send('background', visitor.signal).catch(() => {});
  await until(hasBegun);
  await moment();
  beforeLeaving();
  visitor.abort();
  await left;
}

async function runPlain(start) {
  const all = [];
  const work = async (source) => {
    all.push(source instanceof AbortSignal ? new OfSignal(source) : new Observed(source));
    if (all.length > 1) await new Promise(() => {});
    return 'answer';
  };
  const send = await clientOf(start, NONE, work);
  const found = [await (await send('background')).text()];
  await moment();
  found.push(`${all[0]}`);
  const isAborted = () => all[1].controller.signal.aborted;
  await comeAndLeave(send, () => all.length > 1, () => assert(!isAborted()));
  await until(isAborted);
  await moment();
  return [...found, `${all[1]}`];
}

async function runAdmitted(start) {
  let isLeaving = false;
  let isWorking = false;
  let ended;
  const work = async () => {
    if (!isLeaving) return `${await effectivePriority((mark) => scheduler.yield().then(mark))}`;
    isWorking = true;
    try {
      for (;;) await scheduler.yield({ signal: currentTaskSignal() });
    } catch (error) {
      ended = error.name;
      throw error;
    }
  };
  const send = await clientOf(start, createAdmission({
    classify: ({ headers }) => headers['x-priority'],
    refuseAfter: PATIENT,
    maxQueued: 1,
  }), work);
  const found = [];
  for (const priority of ['user-blocking', 'user-visible', 'background']) {
    found.push(await (await send(priority)).text());
  }
  const release = occupy();
  const both = [send('background'), send('background')];
  found.push((await Promise.race(both)).status);
  await release();
  await Promise.all(both);
  isLeaving = true;
  await comeAndLeave(send, () => isWorking);
  await until(() => ended !== undefined);
  await drain();
  return [...found, ended];
}

// Frameworks report the error of the work whose client has left.
console.error = () => {};

async function main(start) {
  const found = { plain: await runPlain(start), admitted: await runAdmitted(start) };
  process.stdout.write(JSON.stringify(found));
  // A request that was never answered holds some servers.
  process.exit();
}

main(SERVERS[process.argv[2]]);
