'use strict';

// A long list as JSON, stringified in parts.

const { stringifyChunked } = require('@discoveryjs/json-ext');
const { createOrders } = require('./orders.js');
const { serveParts } = require('./serve.js');

const orders = createOrders(24_000);

serveParts('application/json', () => JSON.stringify(orders), () => stringifyChunked(orders));
