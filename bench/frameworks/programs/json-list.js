'use strict';

// A long list as JSON, some items at a time with Node's own JSON.stringify().

const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { isPlain, pieces, scheduler, controllerFor } = require('./variant.js');
const { createOrders, inSections } = require('./orders.js');
const { serve } = require('./serve.js');

const orders = createOrders(24_000);

function sendPlain(response) {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(orders));
}

function* stringifyList(list) {
  let before = '[';
  for (const items of inSections(list, 200)) {
    yield before + JSON.stringify(items).slice(1, -1);
    before = ',';
  }
  yield list.length === 0 ? '[]' : ']';
}

async function send(response) {
  const { signal } = controllerFor(response);
  response.setHeader('content-type', 'application/json');
  await scheduler.postTask(() => {
    return pipeline(Readable.from(pieces(stringifyList(orders))), response);
  }, { signal });
}

serve(isPlain ? sendPlain : send);
