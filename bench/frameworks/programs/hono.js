'use strict';

// Hono 4 on Node: a page of strings.

const { createAdaptorServer } = require('@hono/node-server');
const { Hono } = require('hono');
const { scheduler, controllerFor } = require('./variant.js');
const { render } = require('./report.js');
const { listen } = require('./serve.js');

const app = new Hono();

app.get('/health', (context) => context.text('ok\n'));

app.get('/page', async (context) => {
  const { signal } = controllerFor(context.env.outgoing);
  return context.html(await scheduler.postTask(render, { signal }));
});

listen(createAdaptorServer(app));
