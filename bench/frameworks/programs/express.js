'use strict';

// Express 5: a page of strings.

const http = require('node:http');
const express = require('express');
const { scheduler, controllerFor } = require('./variant.js');
const { render } = require('./report.js');
const { listen } = require('./serve.js');

const app = express();

app.get('/health', (request, response) => response.send('ok\n'));

app.get('/page', async (request, response) => {
  const { signal } = controllerFor(response);
  response.send(await scheduler.postTask(render, { signal }));
});

listen(http.createServer(app));
