'use strict';

// A table as CSV, some rows at a time.

const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { stringify } = require('csv-stringify/sync');
const { isPlain, pieces, scheduler, controllerFor } = require('./variant.js');
const { createOrders, inSections } = require('./orders.js');
const { serve } = require('./serve.js');

const rows = createOrders(8000).map(({ customer, tags, ...order }) => {
  return { ...order, ...customer, tag: tags[0] };
});

function sendPlain(response) {
  response.setHeader('content-type', 'text/csv; charset=utf-8');
  response.end(stringify(rows, { header: true }));
}

function* stringifyRows() {
  let header = true;
  for (const some of inSections(rows, 200)) {
    yield stringify(some, { header });
    header = false;
  }
}

async function send(response) {
  const { signal } = controllerFor(response);
  response.setHeader('content-type', 'text/csv; charset=utf-8');
  await scheduler.postTask(() => {
    return pipeline(Readable.from(pieces(stringifyRows())), response);
  }, { signal });
}

serve(isPlain ? sendPlain : send);
