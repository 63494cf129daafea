'use strict';

// A table as CSV, some rows at a time.

const { stringify } = require('csv-stringify/sync');
const { createOrders, inSections } = require('./orders.js');
const { serveParts } = require('./serve.js');

const rows = createOrders(8000).map(({ customer, tags, ...order }) => {
  return { ...order, ...customer, tag: tags[0] };
});

function* stringifyRows() {
  let header = true;
  for (const some of inSections(rows, 200)) {
    yield stringify(some, { header });
    header = false;
  }
}

serveParts('text/csv; charset=utf-8', () => stringify(rows, { header: true }), stringifyRows);
