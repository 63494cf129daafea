'use strict';

// The sites on node:http and node:http2 alone, which have one listener.

const http = require('node:http');
const http2 = require('node:http2');
const { json } = require('node:stream/consumers');
const site = require('./site.js');

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

function start(createServer) {
  const handler = site.admission.handler(listener);
  return createServer(handler).on('checkContinue', handler);
}

module.exports = {
  'node:http': { start: () => start(http.createServer) },
  'node:http2': { start: () => start(http2.createServer), protocol: 'http2' },
};
