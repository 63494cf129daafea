'use strict';

// A server process: `/parse` parses a list of so many MB, other paths are answered at once. Its
// argument are its options: { parser, root, megabytes }.

const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { createOrders } = require('../frameworks/programs/orders');
const { readOptions, serve } = require('../harness/server');
const { createParser } = require('./parsers');

// The bytes of a list of orders, about as many as that.
function createBytes(megabytes) {
  const some = JSON.stringify(createOrders(1000)).slice(1, -1);
  const count = Math.ceil(megabytes * 1e6 / Buffer.byteLength(some));
  return Buffer.from(`[${new Array(count).fill(some).join()}]`);
}

// Measures for each ms that passes how long it takes until the loop has come to its timers, so that
// a long wait keeps its weight. Resolves to a function that resolves to these times.
function startLags() {
  const lags = [];
  let due = performance.now() + 1;
  const timer = setInterval(() => {
    for (const now = performance.now(); due <= now; due++) lags.push(now - due);
  }, 1);
  return async () => {
    // The timer comes once more.
    await sleep(2);
    clearInterval(timer);
    return lags;
  };
}

function main({ parser, root, megabytes }) {
  const parse = createParser(parser, root);
  const bytes = createBytes(megabytes);
  const parsed = { lags: [], length: 0 };
  const server = http.createServer(async (request, response) => {
    if (request.url === '/parse') {
      const end = startLags();
      const value = await parse(bytes);
      parsed.lags = await end();
      parsed.length = value.length;
    }
    response.end('ok');
  });
  serve(server, { parsed: () => parsed });
}

if (require.main === module) main(readOptions());

module.exports = { createBytes, startLags };
