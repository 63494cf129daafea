'use strict';

// `node strangers.js NAME`: a server of a framework that knows of no guard: a costly page, a cheap
// one, a health check, and a body that is sent back.

const { setTimeout: sleep } = require('node:timers/promises');

const spin = (ms) => {
  for (const end = performance.now() + ms; performance.now() < end;);
};

// By path, what they compute behind a query, in ms.
const WORK = { '/costly': 30, '/cheap': 1, '/health': 0 };

async function work(path) {
  await sleep(2);
  spin(WORK[path]);
  return path.slice(1);
}

const SERVERS = {
  async express() {
    const express = require('express');
    const app = express();
    for (const path of Object.keys(WORK)) {
      app.get(path, async (request, response) => response.send(await work(path)));
    }
    app.post('/echo', express.json(), ({ body }, response) => response.json(body));
    app.get('/throws', () => {
      throw Object.assign(new Error('thrown'), { status: 418, stack: 'no stack' });
    });
    return require('node:http').createServer(app);
  },
  async fastify() {
    const app = require('fastify')();
    for (const path of Object.keys(WORK)) app.get(path, () => work(path));
    app.post('/echo', async ({ body }) => body);
    app.get('/throws', async () => {
      throw new Error('thrown');
    });
    await app.ready();
    return app.server;
  },
  async koa() {
    const Koa = require('koa');
    const app = new Koa();
    app.silent = true;
    app.use(require('koa-bodyparser')());
    app.use(async (context) => {
      const { path } = context;
      if (path === '/throws') throw new Error('thrown');
      if (path === '/echo') context.body = context.request.body;
      else if (path in WORK) context.body = await work(path);
    });
    return require('node:http').createServer(app.callback());
  },
  async nest() {
    require('reflect-metadata');
    const { Body, Controller, Get, Module, Post } = require('@nestjs/common');
    const { NestFactory } = require('@nestjs/core');
    class Pages {
      echo(body) {
        return body;
      }

      throws() {
        throw new Error('thrown');
      }
    }
    const route = (decorate, path, name) =>
      decorate(path)(Pages.prototype, name, Object.getOwnPropertyDescriptor(Pages.prototype, name));
    for (const path of Object.keys(WORK)) {
      Pages.prototype[path] = () => work(path);
      route(Get, path, path);
    }
    Body()(Pages.prototype, 'echo', 0);
    route(Post, '/echo', 'echo');
    route(Get, '/throws', 'throws');
    Controller()(Pages);
    class App {}
    Module({ controllers: [Pages] })(App);
    const app = await NestFactory.create(App, { logger: false });
    await app.init();
    return app.getHttpServer();
  },
  async hono() {
    const { Hono } = require('hono');
    const { createAdaptorServer } = require('@hono/node-server');
    const app = new Hono();
    for (const path of Object.keys(WORK)) {
      app.get(path, async (context) => context.text(await work(path)));
    }
    app.post('/echo', async (context) => context.json(await context.req.json()));
    app.get('/throws', () => {
      throw new Error('thrown');
    });
    app.onError((error, context) => context.text('failed', 500));
    return createAdaptorServer({ fetch: app.fetch });
  },
};

async function main(name) {
  const server = await SERVERS[name]();
  const { PORT = 0 } = process.env;
  server.listen(PORT, '127.0.0.1', () => process.send(server.address().port));
}

// pm2 has other arguments.
main(process.env.FRAMEWORK ?? process.argv[2]);
