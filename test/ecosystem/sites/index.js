'use strict';

// All sites, by the names of their frameworks. `start()` returns the server before it listens.
// `pages` are its pages, if they are not those that most sites have.

const http = require('node:http');
const http2 = require('node:http2');
const { createRequire } = require('node:module');
const path = require('node:path');
const { json } = require('node:stream/consumers');
const site = require('./site.js');

const load = createRequire(path.join(__dirname, '..', 'servers', 'package.json'));

async function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  if (pathname === '/page') return site.writePage(response);
  if (pathname === '/react') return site.renderPage(response);
  if (pathname === '/broken') return site.breakAtOnce();
  if (pathname === '/orders' && request.method === 'POST') {
    return response.end(await site.takeOrder(await json(request)));
  }
  if (!Object.hasOwn(site.texts, pathname)) return response.writeHead(404).end();
  return response.end(await site.texts[pathname](response));
}

const isOfClient = (error) => error instanceof SyntaxError || error.code === 'ERR_INVALID_URL';

// An error that a listener does not catch ends the process, but for the abort of its client.
async function listener(request, response) {
  try {
    await answer(request, response);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    if (isOfClient(error)) response.writeHead(400).end();
    else if (site.logFault(error, response)) response.destroy();
  }
}

function startNode(createServer) {
  const handler = site.admission.handler(listener);
  return createServer(handler).on('checkContinue', handler);
}

function startExpress() {
  const express = load('express');
  const app = express();
  app.use(site.admission.middleware);
  app.get('/page', (req, res) => site.pipePage(res));
  app.get('/react', (req, res) => site.renderPage(res));
  app.get('/broken', site.breakAtOnce);
  for (const [place, text] of Object.entries(site.texts)) {
    app.get(place, async (req, res) => res.send(await text(res)));
  }
  app.post('/orders', express.json(), async (req, res) => res.send(await site.takeOrder(req.body)));
  app.post('/files', load('multer')().any(), async (req, res) => {
    res.send(await site.takeOrder(req.files));
  });
  // Express knows an error handler by its four parameters.
  app.use((error, req, res, next) => {
    void next;
    if (!site.logFault(error, res)) return undefined;
    if (res.headersSent) return res.destroy();
    return res.status(error.status ?? 500).end();
  });
  return http.createServer(app);
}

const FORM = '--a\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\nb\r\n--a--\r\n';
const FILES = {
  path: '/files', method: 'POST', type: 'multipart/form-data; boundary=a', body: FORM,
  end: 'The order',
};

module.exports = {
  'node:http': { start: () => startNode(http.createServer) },
  'node:http2': { start: () => startNode(http2.createServer), protocol: 'http2' },
  'Express 5': { start: startExpress, pages: [...site.PAGES, FILES] },
};
