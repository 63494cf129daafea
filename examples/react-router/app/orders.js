// Stands for the work of your own application: the sales of a month, which take about half a
// millisecond.

import { PRODUCTS, nameOf, ordersOf } from '../../shared/orders.mjs';

// Of the report, and of the export.
export const MONTHS = 300;
export const ALL_MONTHS = 600;

// The sales of each product in a month.
export function summarise(month) {
  const sales = new Map(PRODUCTS.map((product) => [product, 0]));
  for (const { product, price } of ordersOf(month)) {
    sales.set(product, sales.get(product) + price);
  }
  return { name: nameOf(month), sales: [...sales] };
}
