'use strict';

// The site on Express.

const http = require('node:http');
const { loader } = require('../../helpers/installed.js');
const site = require('./site.js');

const load = loader('servers');

const FORM = '--a\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\nb\r\n--a--\r\n';

const FILES = { path: '/files', method: 'POST', type: 'multipart/form-data; boundary=a' };
const pages = [...site.PAGES, { ...FILES, body: FORM, end: 'The order' }];

function start() {
  const express = load('express');
  const app = express();
  app.use(site.admission.middleware);
  app.get('/page', (req, res) => site.pipePage(res));
  app.get('/react', (req, res) => site.renderPage(res));
  app.get('/broken', site.breakAtOnce);
  for (const [path, text] of Object.entries(site.texts)) {
    app.get(path, async (req, res) => res.send(await text(res)));
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

module.exports = { 'Express 5': { start, pages } };
