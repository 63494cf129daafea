'use strict';

// A long list as JSON, some items at a time with Node's own JSON.stringify().

const { createOrders, inSections } = require('./orders.js');
const { serveParts } = require('./serve.js');

const orders = createOrders(24_000);

function* stringifyList(list) {
  let before = '[';
  for (const items of inSections(list, 200)) {
    yield before + JSON.stringify(items).slice(1, -1);
    before = ',';
  }
  yield list.length === 0 ? '[]' : ']';
}

serveParts('application/json', () => JSON.stringify(orders), () => stringifyList(orders));
