// Stands for the data of your own application: the orders of a month, made up but always the same.

export const PRODUCTS = ['chair', 'clock', 'desk', 'lamp', 'rug', 'shelf'];
const ORDERS = Number(process.env.ORDERS ?? 4000);

export function* ordersOf(month) {
  let seed = month + 1;
  for (let count = 0; count < ORDERS; count++) {
    seed = (seed * 48_271) % 2_147_483_647;
    yield { product: PRODUCTS[seed % PRODUCTS.length], price: 5 + (seed % 400) };
  }
}

// The name of a month, counted from January 1975.
export function nameOf(month) {
  return `${1975 + Math.floor(month / 12)}-${String(1 + (month % 12)).padStart(2, '0')}`;
}
