'use strict';

// The sections of the Preact pages.

const { h } = require('preact');
const { createOrders, inSections, money } = require('./orders.js');

const sections = inSections(createOrders(3500), 50);

const Tag = ({ tag }) => h('span', { class: 'tag' }, tag);

const Order = ({ order: { id, customer, product, price, isPaid, tags } }) =>
  h('tr', { class: isPaid ? 'paid' : 'open' },
    h('td', null, id), h('td', null, customer.name), h('td', null, customer.city),
    h('td', null, product), h('td', null, money.format(price)),
    h('td', null, tags.map((tag) => h(Tag, { key: tag, tag }))));

const Section = ({ orders }) =>
  h('table', null, orders.map((order) => h(Order, { key: order.id, order })));

module.exports = { Section, sections };
