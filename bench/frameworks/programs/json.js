'use strict';

// A long list as JSON, stringified in parts.

const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { stringifyChunked } = require('@discoveryjs/json-ext');
const { isPlain, pieces, scheduler, controllerFor } = require('./variant.js');
const { createOrders } = require('./orders.js');
const { serve } = require('./serve.js');

const orders = createOrders(24_000);

function sendPlain(response) {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(orders));
}

async function send(response) {
  const { signal } = controllerFor(response);
  response.setHeader('content-type', 'application/json');
  await scheduler.postTask(() => {
    return pipeline(Readable.from(pieces(stringifyChunked(orders))), response);
  }, { signal });
}

serve(isPlain ? sendPlain : send);
