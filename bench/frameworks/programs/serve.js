'use strict';

// Starts the server of a program, and says where it listens: to the benchmark by a message, to
// others by a line.

const http = require('node:http');
const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const toParent = require('../../harness/server.js');
const { untilAborted } = require('./turns.js');
const { controllerFor, isPlain, pieces, scheduler } = require('./variant.js');

const HTML = 'text/html; charset=utf-8';

function announce(server) {
  if (process.send) toParent.announce(server);
  else console.log(`http://127.0.0.1:${server.address().port}/page`);
}

function listen(server) {
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => announce(server));
}

// For programs that need no framework for their routes: `sendPage(response)` answers /page.
function serve(sendPage) {
  listen(http.createServer((request, response) => {
    if (request.url === '/health') return response.end('ok\n');
    if (request.url !== '/page') return response.writeHead(404).end();
    Promise.resolve(sendPage(response)).catch((error) => {
      // The visitor may have left.
      if (!response.destroyed) console.error(error);
      response.destroy();
    });
  }));
}

// The same for a page that `render()` makes in a task, and that `toBody()` completes.
function serveRendered(render, toBody = String, type = HTML) {
  serve(async (response) => {
    const { signal } = controllerFor(response);
    const made = await scheduler.postTask(() => untilAborted(render(), signal), { signal });
    response.setHeader('content-type', type);
    response.end(toBody(made));
  });
}

// The same for a text that is sent in parts: those of `partsOf()`, or plain that of `whole()`.
function serveParts(type, whole, partsOf) {
  serve(async (response) => {
    response.setHeader('content-type', type);
    if (isPlain) return response.end(whole());
    const { signal } = controllerFor(response);
    const send = () => pipeline(Readable.from(pieces(partsOf())), response);
    await scheduler.postTask(send, { signal });
  });
}

module.exports = { announce, listen, serve, serveParts, serveRendered };
