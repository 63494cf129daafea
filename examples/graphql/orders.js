'use strict';

// Stands for the data of your own application: the sales of a month, which take about half a
// millisecond to add up.

const { PRODUCTS, nameOf, ordersOf } = require('../shared/orders.js');

const MONTHS = 600;

function salesOf(month) {
  const sales = new Map(PRODUCTS.map((product) => [product, 0]));
  for (const { product, price } of ordersOf(month)) {
    sales.set(product, sales.get(product) + price);
  }
  return [...sales].map(([product, sum]) => ({ product, sum }));
}

module.exports = { MONTHS, nameOf, salesOf };
