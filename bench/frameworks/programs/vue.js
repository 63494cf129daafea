'use strict';

// Vue 3: a page of many sections, each a component.

const { createSSRApp, inject, provide } = require('vue');
const { renderToString } = require('vue/server-renderer');
const { isPlain } = require('./variant.js');
const { createOrders, inSections, money } = require('./orders.js');
const { serveRendered } = require('./serve.js');
const { createTurns } = require('./turns.js');

const sections = inSections(createOrders(4500), 50);

const Order = {
  props: ['order'],
  setup: () => ({ money }),
  template: `
    <tr :class="{ paid: order.isPaid }">
      <td>{{ order.id }}</td><td>{{ order.customer.name }}</td><td>{{ order.customer.city }}</td>
      <td>{{ order.product }}</td><td>{{ money.format(order.price) }}</td>
      <td><span v-for="tag of order.tags" :key="tag">{{ tag }}</span></td>
    </tr>`,
};

const SectionPlain = {
  components: { Order },
  props: ['orders'],
  template: '<table><Order v-for="order of orders" :key="order.id" :order="order" /></table>',
};

const Section = {
  ...SectionPlain,
  async setup() {
    await inject('turns').next();
  },
};

const Page = {
  components: { Section: isPlain ? SectionPlain : Section },
  setup() {
    provide('turns', createTurns(sections));
    return { sections };
  },
  template: `
    <main>
      <Section v-for="(orders, index) of sections" :key="index" :orders="orders" />
      <p>The end</p>
    </main>`,
};

serveRendered(() => renderToString(createSSRApp(Page)));
