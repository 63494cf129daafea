// Stands for the work of your own application: the orders of a month, made up but always the same,
// and their summary, which takes about half a millisecond.

const PRODUCTS = ['chair', 'clock', 'desk', 'lamp', 'rug', 'shelf'];
const ORDERS = Number(process.env.ORDERS ?? 4000);

// The number of months that the pages show.
export const MONTHS = Number(process.env.MONTHS ?? 300);

function* ordersOf(month) {
  let seed = month + 1;
  for (let count = 0; count < ORDERS; count++) {
    seed = (seed * 48_271) % 2_147_483_647;
    yield { product: PRODUCTS[seed % PRODUCTS.length], price: 5 + (seed % 400) };
  }
}

// The sales of each product in a month, the best first.
export function summarise(month) {
  const sales = new Map(PRODUCTS.map((product) => [product, 0]));
  for (const { product, price } of ordersOf(month)) {
    sales.set(product, sales.get(product) + price);
  }
  return [...sales].sort(([, one], [, other]) => other - one);
}

// The name of a month, counted from January 1975.
export function nameOf(month) {
  return `${1975 + Math.floor(month / 12)}-${String(1 + (month % 12)).padStart(2, '0')}`;
}
