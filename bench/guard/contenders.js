'use strict';

// The server that is compared, which knows nothing of a guard: Express with one costly route, two
// cheap ones and a probe.

const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const express = require('express');
const { spin } = require('../harness/spin');

// The thread time of a request of each route, behind a query, in ms.
const ROUTES = { home: 40, post: 2, list: 4, health: 0 };

// A path without a query and work.
const EMPTY = '/empty';

// Resolves to a server that does not listen yet, behind a guard if there is a mode.
async function createContender({ mode }) {
  const app = express();
  app.disable('x-powered-by');
  app.get(EMPTY, (request, response) => response.end('empty'));
  for (const [name, work] of Object.entries(ROUTES)) {
    app.get(`/${name}`, async (request, response) => {
      if (work > 0) await sleep(5);
      spin(work);
      response.end(`<p>${name}</p>`);
    });
  }
  const server = http.createServer(app);
  // As the flag does for all servers.
  if (mode !== undefined) {
    require('../../dist/guard.js').guard(server, { mode, report: false });
  }
  return server;
}

module.exports = { EMPTY, ROUTES, createContender };
