// Owns what requests share: the products, in a cache, and the search index.

import { SharedTask, pieces, scheduler, shouldYield } from 'uv-scheduler';
import { database } from './data.js';

const TIME_TO_LIVE = 10_000;

// One load for all requests that wait, as urgent as the most urgent one of them. It names no
// signal, so it goes on when a visitor has left.
const loadProducts = new SharedTask(async function loadProducts() {
  const products = await database.products();
  await scheduler.yield(); // Otherwise the next line runs at once, in the callback of the I/O.
  return products.toSorted((one, other) => other.sold - one.sold);
});

let products;
let until = 0;

// The most popular products first.
export async function readProducts() {
  if (performance.now() >= until) {
    products = await loadProducts.join(); // It is no cache: join() would load them again.
    until = performance.now() + TIME_TO_LIVE;
  }
  return products;
}

// The products whose descriptions have most words in common with that of `product`.
export async function findRelated(product, signal) {
  const words = new Set(product.description.split(' '));
  const scores = [];
  for (const other of await readProducts()) {
    if (shouldYield()) await scheduler.yield({ signal });
    const score = other.description.split(' ').filter((word) => words.has(word)).length;
    if (other !== product) scores.push({ other, score });
  }
  return scores.sort((one, other) => other.score - one.score).slice(0, 8).map(({ other }) => other);
}

// From the beginnings of words to products.
const buildIndex = new SharedTask(async function buildIndex() {
  const index = new Map();
  for await (const product of pieces(await database.products())) {
    for (const word of product.description.split(' ')) {
      for (let end = 2; end <= word.length; end++) {
        const start = word.slice(0, end);
        if (!index.has(start)) index.set(start, new Set());
        index.get(start).add(product);
      }
    }
  }
  return index;
});

let index;

// A rebuild goes on in spare time. After a minute it is user-visible.
export async function rebuildIndex() {
  const options = { priority: 'background', maxWait: 60_000 };
  index = await scheduler.postTask(() => buildIndex.join(), options);
}

// The first search waits for the index, which then is as urgent as the search.
export async function search(word) {
  index ??= await buildIndex.join();
  return [...index.get(word) ?? []];
}
