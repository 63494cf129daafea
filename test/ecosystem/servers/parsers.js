'use strict';

// Servers with an admission in front of a body parser, as users of each framework write them.
// `start(admission, work)` resolves to the http.Server; `work()` resolves to the text of the answer
// to `POST /`, once the body was parsed.

const http = require('node:http');
const { once } = require('node:events');
const os = require('node:os');

async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function startExpress(parser) {
  return ({ middleware }, work) => {
    const app = require('express')();
    app.use(middleware);
    app.post('/', parser(), async (request, response) => response.send(await work()));
    return listen(http.createServer(app));
  };
}

async function startFastify({ admit }, work) {
  const app = require('fastify')();
  app.addHook('onRequest', (request, reply, done) => {
    admit(request.raw, reply.raw, done).catch(done);
  });
  app.post('/', () => work());
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app.server;
}

function startKoa({ admit }, work) {
  const app = new (require('koa'))();
  app.use((ctx, next) => admit(ctx.req, ctx.res, next));
  app.use(require('koa-bodyparser')());
  app.use(async (ctx) => {
    ctx.body = await work();
  });
  return listen(http.createServer(app.callback()));
}

async function startHono({ handler }, work) {
  const { Hono } = await import('hono');
  const { getRequestListener } = await import('@hono/node-server');
  const app = new Hono();
  app.post('/', async (c) => {
    await c.req.text();
    return c.text(await work());
  });
  return listen(http.createServer(handler(getRequestListener(app.fetch))));
}

const multer = (options) => require('multer')(options).single('file');

module.exports = {
  'express.json()': { start: startExpress(() => require('express').json()), isJson: true },
  'multer in memory': { start: startExpress(() => multer()) },
  'multer on disk': { start: startExpress(() => multer({ dest: os.tmpdir() })) },
  "Fastify's parser": { start: startFastify, isJson: true },
  'koa-bodyparser': { start: startKoa, isJson: true },
  'Hono': { start: startHono, isJson: true },
};
