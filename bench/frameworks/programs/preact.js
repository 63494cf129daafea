'use strict';

// Preact: a page of many sections, each rendered by itself.

const { h } = require('preact');
const { renderToString } = require('preact-render-to-string');
const { isPlain, pieces, scheduler, taskController } = require('./variant.js');
const { createOrders, inSections, money } = require('./orders.js');
const { serve } = require('./serve.js');

const sections = inSections(createOrders(3500), 50);

const Tag = ({ tag }) => h('span', { class: 'tag' }, tag);

const Order = ({ order: { id, customer, product, price, isPaid, tags } }) =>
  h('tr', { class: isPaid ? 'paid' : 'open' },
    h('td', null, id), h('td', null, customer.name), h('td', null, customer.city),
    h('td', null, product), h('td', null, money.format(price)),
    h('td', null, tags.map((tag) => h(Tag, { key: tag, tag }))));

const Section = ({ orders }) =>
  h('table', null, orders.map((order) => h(Order, { key: order.id, order })));

const Page = () => h('main', null, sections.map((orders) => h(Section, { orders })));

const HEAD = '<!DOCTYPE html>\n<title>Orders</title>\n';
const TAIL = '<p>The end</p>\n';

const renderPlain = () => HEAD + renderToString(h(Page)) + TAIL;

async function render() {
  let html = `${HEAD}<main>`;
  for await (const orders of pieces(sections)) html += renderToString(h(Section, { orders }));
  return `${html}</main>${TAIL}`;
}

async function send(response) {
  const { signal } = taskController(response);
  const html = await scheduler.postTask(isPlain ? renderPlain : render, { signal });
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(html);
}

serve(send);
