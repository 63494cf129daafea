'use strict';

// The site on Fastify.

const { Readable } = require('node:stream');
const { loader } = require('../../helpers/installed.js');
const site = require('./site.js');

const load = loader('servers');

async function start() {
  const app = load('fastify')();
  app.addHook('onRequest', (request, reply, done) => {
    site.admission.admit(request.raw, reply.raw, done).catch(done);
  });
  app.setErrorHandler((error, request, reply) => {
    if (!site.logFault(error, reply.raw)) return reply.hijack();
    return reply.status(error.statusCode ?? 500).send();
  });
  app.get('/page', async (request, reply) => reply.send(Readable.from(site.rows())));
  app.get('/react', (request, reply) => {
    reply.hijack();
    site.renderPage(reply.raw);
  });
  app.get('/broken', site.breakAtOnce);
  for (const [path, text] of Object.entries(site.texts)) {
    app.get(path, async (request, reply) => text(reply.raw));
  }
  app.post('/orders', async (request) => site.takeOrder(request.body));
  await app.ready();
  return app.server;
}

module.exports = { Fastify: { start } };
