// Owns the pages of the shop, and how they are sent. Each section of a page is rendered in a turn
// of its own.

import { createElement as h } from 'react';
import { renderToPipeableStream } from 'react-dom/server';
import { Scheduled } from 'uv-scheduler/react';

const SHELF = 20;

function Card({ product }) {
  return h('li', { className: 'card', 'data-id': product.id },
    h('a', { href: `/product/${product.id}` }, h('h3', null, product.name)),
    h('p', { className: 'price' }, `${product.price} €`),
    h('ul', null, product.description.split(' ').slice(0, 8).map((word, key) =>
      h('li', { key }, h('span', { className: 'word' }, word)))));
}

const Shelf = ({ products }) =>
  h('ul', { className: 'shelf' }, products.map((product) => h(Card, { product, key: product.id })));

const Page = ({ title, children }) => h('html', { lang: 'en' },
  h('head', null, h('title', null, title)),
  h('body', null, h('h1', null, title), children, h('footer', null, 'The end')));

// A long page: its sections are sent one by one.
export function List({ products }) {
  const shelves = [];
  for (let i = 0; i < products.length; i += SHELF) {
    const shelf = h(Shelf, { products: products.slice(i, i + SHELF) });
    shelves.push(h(Scheduled, { key: i, fallback: h('p', null, '…') }, shelf));
  }
  return h(Page, { title: 'The shop' }, shelves);
}

export const Product = ({ product, related }) => h(Page, { title: product.name },
  h('p', null, product.description),
  h(Scheduled, { fallback: h('p', null, '…') }, h(Shelf, { products: related })));

export const Cart = ({ products }) => h(Page, { title: 'Your cart' },
  h(Shelf, { products }),
  h('p', null, `${products.reduce((sum, { price }) => sum + price, 0)} €`));

// Sends a page as a stream; with `isWhole`, for crawlers, when all of it is rendered. `signal` is
// that of the request.
export function sendPage(res, page, { isWhole, signal }) {
  const send = () => {
    if (!signal.aborted) stream.pipe(res.type('html'));
  };
  const stream = renderToPipeableStream(page, {
    ...isWhole
      // Sections then stand in their places, not in hidden elements behind the page.
      ? { onAllReady: send, progressiveChunkSize: Infinity }
      : { onShellReady: send },
    onError: (error) => {
      if (!signal.aborted) console.error(error);
    },
    onShellError: (error) => res.destroy(error),
  });
  signal.addEventListener('abort', () => stream.abort(signal.reason), { once: true });
}
