'use strict';

// Stands for the work of your own application: the sales of a month as lines of CSV, which takes
// about half a millisecond.

const { PRODUCTS, nameOf, ordersOf } = require('../shared/orders.js');

const MONTHS = 600;

function linesOf(month) {
  const sales = new Map(PRODUCTS.map((product) => [product, 0]));
  for (const { product, price } of ordersOf(month)) {
    sales.set(product, sales.get(product) + price);
  }
  return [...sales].map(([product, sum]) => `${nameOf(month)},${product},${sum}\n`).join('');
}

module.exports = { MONTHS, linesOf };
