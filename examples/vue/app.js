// The application: a page with a section for each month. Each section is prepared in a task of its
// own, which gives way to other requests.

import { createSSRApp } from 'vue';
import { scheduler, shouldYield } from 'uv-scheduler';
import { nameOf, ordersOf, PRODUCTS } from '../shared/orders.mjs';

export const MONTHS = 300;

const never = () => new Promise(() => {});

// The sales of each product in a month.
async function prepare(month) {
  const sales = new Map(PRODUCTS.map((product) => [product, 0]));
  for (const { product, price } of ordersOf(month)) {
    sales.set(product, sales.get(product) + price);
    // Goes straight on while nobody else waits. Rejects when the visitor has left.
    if (shouldYield()) await scheduler.yield();
  }
  return [...sales];
}

const MonthSection = {
  props: ['month', 'visit'],
  // All sections begin at once. Their tasks run one after the other, because what has begun goes on
  // before what has not. So the page arrives from its top.
  async setup({ month, visit }) {
    const { signal, onMonth } = visit;
    try {
      const sales = await scheduler.postTask(() => prepare(month), { signal });
      onMonth();
      return { name: nameOf(month), sales };
    } catch (error) {
      if (!signal.aborted) throw error;
      return never(); // Otherwise Vue would render the rest of the page at once, and end it.
    }
  },
  template: `
    <section>
      <h2>{{ name }}</h2>
      <ul><li v-for="[product, sum] of sales" :key="product">{{ product }}: {{ sum }}</li></ul>
    </section>`,
};

const Report = {
  components: { MonthSection },
  props: ['visit'],
  template: `
    <html lang="en">
      <head><title>Report</title></head>
      <body>
        <MonthSection v-for="n of ${MONTHS}" :key="n" :month="n - 1" :visit="visit" />
        <p>The end</p>
      </body>
    </html>`,
};

// A visit is { signal, onMonth, onError }: what aborts the work for it, and what is called for each
// month that was prepared and for an error.
export function createReport(visit) {
  const app = createSSRApp(Report, { visit });
  app.config.errorHandler = visit.onError;
  return app;
}
