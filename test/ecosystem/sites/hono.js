'use strict';

// The site on Hono, with its adapter for Node.

const http = require('node:http');
const { createElement: h } = require('react');
const { renderToReadableStream } = require('react-dom/server');
const { controllerFor } = require('uv-scheduler/http');
const { loader } = require('../../helpers/installed.js');
const site = require('./site.js');

const load = loader('servers');

function start() {
  const { getRequestListener } = load('@hono/node-server');
  const { RESPONSE_ALREADY_SENT } = load('@hono/node-server/utils/response');
  const { stream } = load('hono/streaming');
  const app = new (load('hono').Hono)();
  const log = (error, { env }) => {
    site.logFault(error, env.outgoing);
  };
  app.onError((error, c) => {
    // The time limit has answered.
    if (c.env.outgoing.headersSent) return RESPONSE_ALREADY_SENT;
    if (error instanceof SyntaxError) return c.body(null, 400);
    log(error, c);
    return c.body(null, 500);
  });
  app.get('/page', (c) => {
    const rows = site.rows();
    return stream(c, async (body) => {
      for await (const row of rows) await body.write(row);
    }, (error) => log(error, c));
  });
  app.get('/react', async (c) => {
    const { signal } = controllerFor(c.env.outgoing);
    const onError = (error) => log(error, c);
    return c.body(await renderToReadableStream(h(site.Page), { signal, onError }));
  });
  app.get('/broken', site.breakAtOnce);
  for (const [path, text] of Object.entries(site.texts)) {
    app.get(path, async (c) => c.text(await text(c.env.outgoing)));
  }
  app.post('/orders', async (c) => c.text(await site.takeOrder(await c.req.json())));
  return http.createServer(site.admission.handler(getRequestListener(app.fetch)));
}

module.exports = { Hono: { start } };
