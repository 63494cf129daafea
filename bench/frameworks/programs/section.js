'use strict';

// The sections of the pages of Preact and React. `h` makes an element, whose class has the name
// `className`.

const { money } = require('./orders.js');

function createSection(h, className) {
  const Tag = ({ tag }) => h('span', { [className]: 'tag' }, tag);

  const Order = ({ order: { id, customer, product, price, isPaid, tags } }) =>
    h('tr', { [className]: isPaid ? 'paid' : 'open' },
      h('td', null, id), h('td', null, customer.name), h('td', null, customer.city),
      h('td', null, product), h('td', null, money.format(price)),
      h('td', null, tags.map((tag) => h(Tag, { key: tag, tag }))));

  return ({ orders }) =>
    h('table', null, h('tbody', null, orders.map((order) => h(Order, { key: order.id, order }))));
}

module.exports = { createSection };
