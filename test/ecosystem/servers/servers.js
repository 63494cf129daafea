'use strict';

// The same server with each framework, as its users write one: an admission in front of a body
// parser. `start(admission, work)` resolves to the http.Server. `work(source)` resolves to the text
// of the answer to `POST /`, once the body was parsed; a controller is made of the source.

const http = require('node:http');
const { once } = require('node:events');
const os = require('node:os');

async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const startExpress = (parser) => ({ middleware }, work) => {
  const app = require('express')();
  app.use(middleware);
  app.post('/', parser(), async (request, response) => response.send(await work(response)));
  return listen(http.createServer(app));
};

function createFastify({ admit }, work) {
  const app = require('fastify')();
  app.addHook('onRequest', (request, reply, done) => {
    admit(request.raw, reply.raw, done).catch(done);
  });
  app.post('/', (request, reply) => work(reply.raw));
  return app;
}

async function startFastify(admission, work) {
  const app = createFastify(admission, work);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app.server;
}

// A request without a server, as tests make them. Resolves to the answer.
async function inject(admission, work) {
  const app = createFastify(admission, work);
  const { payload } = await app.inject({ method: 'POST', url: '/', payload: {} });
  await app.close();
  return payload;
}

function startKoa({ admit }, work) {
  const app = new (require('koa'))();
  app.use((ctx, next) => admit(ctx.req, ctx.res, next));
  app.use(require('koa-bodyparser')());
  app.use(async (ctx) => {
    ctx.body = await work(ctx.res);
  });
  return listen(http.createServer(app.callback()));
}

async function startHono({ handler }, work) {
  const { Hono } = await import('hono');
  const { getRequestListener } = await import('@hono/node-server');
  const app = new Hono();
  app.post('/', async (c) => {
    await c.req.text();
    return c.text(await work(c.req.raw.signal));
  });
  return listen(http.createServer(handler(getRequestListener(app.fetch))));
}

const multer = (options) => require('multer')(options).single('file');

module.exports = {
  inject,
  SERVERS: {
    'express.json()': { start: startExpress(() => require('express').json()), isJson: true },
    'multer in memory': { start: startExpress(() => multer()) },
    'multer on disk': { start: startExpress(() => multer({ dest: os.tmpdir() })) },
    "Fastify's parser": { start: startFastify, isJson: true },
    'koa-bodyparser': { start: startKoa, isJson: true },
    'Hono': { start: startHono, isJson: true },
  },
};
