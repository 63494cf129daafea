'use strict';

// Fastify 5: a page of strings.

const fastify = require('fastify');
const { scheduler, controllerFor } = require('./variant.js');
const { render } = require('./report.js');
const { announce } = require('./serve.js');

const app = fastify();

app.get('/health', async () => 'ok\n');

app.get('/page', async (request, reply) => {
  const { signal } = controllerFor(reply.raw);
  reply.type('text/html; charset=utf-8');
  return scheduler.postTask(render, { signal });
});

app.listen({ port: Number(process.env.PORT ?? 0), host: '127.0.0.1' })
  .then(() => announce(app.server));
