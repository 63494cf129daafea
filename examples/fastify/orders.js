// Stands for the work of your own application: the orders of a day, made up but always the same, as
// lines of CSV. A day takes about half a millisecond.

const PRODUCTS = ['chair', 'clock', 'desk', 'lamp', 'rug', 'shelf'];
const ORDERS = 300;

const price = new Intl.NumberFormat('en', { minimumFractionDigits: 2, useGrouping: false });
const date = new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC' });
const FIRST_DAY = Date.UTC(2023, 0, 1);
const DAY = 24 * 60 * 60 * 1000;

export function linesOf(day) {
  const lines = [];
  const when = date.format(FIRST_DAY + day * DAY);
  let seed = day + 1;
  for (let order = 0; order < ORDERS; order++) {
    seed = (seed * 48_271) % 2_147_483_647;
    const product = PRODUCTS[seed % PRODUCTS.length];
    lines.push(`${when},${order},${product},${price.format((seed % 40_000) / 100)}\n`);
  }
  return lines.join('');
}
