'use strict';

// A page that a program makes of strings, without a renderer: a table of many orders.

const { isPlain, pieces } = require('./variant.js');
const { createOrders, rowOf } = require('./orders.js');

const orders = createOrders(10_000);

const HEAD = '<!DOCTYPE html>\n<title>Orders</title>\n<table>\n';
const TAIL = '</table>\n<p>The end</p>\n';

function renderPlain() {
  return HEAD + orders.map(rowOf).join('') + TAIL;
}

async function render() {
  let html = HEAD;
  for await (const order of pieces(orders)) html += rowOf(order);
  return html + TAIL;
}

module.exports = { render: isPlain ? renderPlain : render };
