// Stands for your own data: a database that answers after some milliseconds. The products are made
// up, but always the same.

import { setTimeout as sleep } from 'node:timers/promises';

const LATENCY = 3;
const WORDS = ['ash', 'blue', 'brass', 'calm', 'dark', 'elm', 'flat', 'grey', 'high', 'iron',
  'jute', 'light', 'oak', 'pine', 'round', 'slim', 'soft', 'steel', 'tall', 'warm', 'wide'];
const KINDS = ['chair', 'clock', 'desk', 'lamp', 'rug', 'shelf'];
const COUNT = Number(process.env.PRODUCTS ?? 1200);
const PRODUCTS = Array.from({ length: COUNT }, (_, id) => createProduct(id));

function createProduct(id) {
  let seed = id + 1;
  const next = (count) => (seed = (seed * 48_271) % 2_147_483_647) % count;
  const words = Array.from({ length: 60 }, () => WORDS[next(WORDS.length)]);
  return {
    id,
    name: `${words[0]} ${KINDS[id % KINDS.length]} ${id}`,
    description: words.join(' '),
    price: 5 + next(400),
    sold: next(1000),
  };
}

const carts = new Map();
let orders = 0;

export const database = {
  async products() {
    await sleep(LATENCY);
    return PRODUCTS;
  },
  async cart(visitor) {
    await sleep(LATENCY);
    return (carts.get(visitor) ?? []).map((id) => PRODUCTS[id]);
  },
  async addToCart(visitor, id) {
    await sleep(LATENCY);
    if (PRODUCTS[id] === undefined) return false;
    carts.set(visitor, [...carts.get(visitor) ?? [], id]);
    return true;
  },
  async order(visitor) {
    await sleep(LATENCY);
    carts.delete(visitor);
    return ++orders;
  },
};
