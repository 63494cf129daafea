'use strict';

// Koa 3: a page of strings.

const http = require('node:http');
const Koa = require('koa');
const { scheduler, controllerFor } = require('./variant.js');
const { render } = require('./report.js');
const { listen } = require('./serve.js');

const app = new Koa();

app.use(async (context) => {
  if (context.path === '/health') context.body = 'ok\n';
  if (context.path !== '/page') return;
  const { signal } = controllerFor(context.res);
  context.type = 'html';
  context.body = await scheduler.postTask(render, { signal });
});

listen(http.createServer(app.callback()));
