'use strict';

// The same server with each framework, as its users write one. A server has three routes: `/answer`
// answers at once, `/never` does not answer, and `/echo` is a POST that reads its body first. Each
// makes a controller with `observe` from what the framework has of a response. `start(observe)`
// resolves to the http.Server.

const http = require('node:http');
const { once } = require('node:events');

const never = () => new Promise(() => {});

async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function startExpress(observe) {
  const express = require('express');
  const app = express();
  app.get('/answer', (request, response) => {
    observe(response);
    response.send('answer');
  });
  app.get('/never', (request, response) => {
    observe(response);
  });
  app.post('/echo', express.text(), (request, response) => {
    observe(response);
    response.send(request.body);
  });
  return listen(http.createServer(app));
}

async function startFastify(observe, { hijack = false } = {}) {
  const app = require('fastify')();
  // With hijack() the handler answers by itself.
  const respond = (reply, text) => {
    observe(reply.raw);
    if (!hijack) return text;
    reply.hijack();
    reply.raw.end(text);
    return undefined;
  };
  app.get('/answer', async (request, reply) => respond(reply, 'answer'));
  app.get('/never', async (request, reply) => {
    if (hijack) reply.hijack();
    observe(reply.raw);
    if (!hijack) await never();
  });
  app.post('/echo', async (request, reply) => respond(reply, request.body));
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app.server;
}

// Requests without a server, as tests make them.
async function injectFastify(observe) {
  const app = require('fastify')();
  app.get('/answer', async (request, reply) => {
    observe(reply.raw);
    return 'answer';
  });
  const { payload } = await app.inject('/answer');
  await app.close();
  return payload;
}

async function read(stream) {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

async function startKoa(observe, { respond = true } = {}) {
  const Koa = require('koa');
  const app = new Koa();
  app.use(async (ctx) => {
    ctx.respond = respond;
    const body = ctx.path === '/echo' ? await read(ctx.req) : 'answer';
    observe(ctx.res);
    if (ctx.path === '/never') await never();
    // Without Koa's own response the middleware answers by itself.
    else if (respond) ctx.body = body;
    else ctx.res.end(body);
  });
  return listen(http.createServer(app.callback()));
}

async function startHono(observe) {
  const { Hono } = await import('hono');
  const { createAdaptorServer } = await import('@hono/node-server');
  const app = new Hono();
  app.get('/answer', (c) => {
    observe(c.req.raw.signal);
    return c.text('answer');
  });
  app.get('/never', (c) => {
    observe(c.req.raw.signal);
    return never();
  });
  app.post('/echo', async (c) => {
    const body = await c.req.text();
    observe(c.req.raw.signal);
    return c.text(body);
  });
  return listen(createAdaptorServer({ fetch: app.fetch }));
}

module.exports = {
  'Express 5': { start: startExpress },
  'Fastify 5': { start: startFastify },
  'Fastify 5 with hijack()': { start: (observe) => startFastify(observe, { hijack: true }) },
  'Fastify 5 with inject()': { inject: injectFastify },
  'Koa 3': { start: startKoa },
  'Koa 3 with ctx.respond = false': { start: (observe) => startKoa(observe, { respond: false }) },
  'Hono 4': { start: startHono },
};
