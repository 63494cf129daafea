'use strict';

// The data of the programs, made up but always the same, and how some of them show it.

const CITIES = ['Athens', 'Bergen', 'Cork', 'Dresden', 'Évora', 'Gdańsk', 'Łódź', 'Zürich'];
const PRODUCTS = ['chair', 'clock', 'desk', 'lamp', 'rug', 'shelf', 'table & chairs', '"sofa"'];

const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' });

function createOrders(count) {
  let seed = 1;
  const random = (below) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  return Array.from({ length: count }, (_, id) => ({
    id,
    customer: { name: `Customer ${random(10_000)}`, city: CITIES[random(CITIES.length)] },
    product: PRODUCTS[random(PRODUCTS.length)],
    price: random(100_000) / 100,
    isPaid: random(2) === 1,
    tags: [`tag-${random(50)}`, `tag-${random(50)}`],
  }));
}

// The same orders in sections of so many.
function inSections(orders, size) {
  const sections = [];
  for (let first = 0; first < orders.length; first += size) {
    sections.push(orders.slice(first, first + size));
  }
  return sections;
}

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text) => text.replace(/[&<>"]/g, (found) => ESCAPES[found]);

// A row of a table in HTML.
function rowOf({ id, customer, product, price, isPaid, tags }) {
  const cells = [String(id), customer.name, customer.city, product, money.format(price),
    isPaid ? 'paid' : 'open', tags.join(', ')];
  return `<tr>${cells.map((cell) => `<td>${escape(cell)}</td>`).join('')}</tr>\n`;
}

// The page around sections.
const toPage = (html) => `<!DOCTYPE html>\n<title>Orders</title>\n${html}<p>The end</p>\n`;

module.exports = { createOrders, inSections, money, rowOf, toPage };
