'use strict';

// Svelte 5: a page of many sections, each rendered by itself. Here the components are
// compiled when the program starts; a build does it otherwise.

const fs = require('node:fs');
const path = require('node:path');
const { isPlain, pieces } = require('./variant.js');
const { createOrders, inSections, money } = require('./orders.js');
const { serveRendered } = require('./serve.js');

const sections = inSections(createOrders(7000), 50);

const ORDER = `
<script>
  const { order, money } = $props();
</script>
<tr class={{ paid: order.isPaid }}>
  <td>{order.id}</td><td>{order.customer.name}</td><td>{order.customer.city}</td>
  <td>{order.product}</td><td>{money.format(order.price)}</td>
  <td>{#each order.tags as tag}<span>{tag}</span>{/each}</td>
</tr>`;

const SECTION = `
<script>
  import Order from './Order.mjs';
  const { orders, money } = $props();
</script>
<table><tbody>{#each orders as order}<Order {order} {money} />{/each}</tbody></table>`;

const PAGE = `
<script>
  import Section from './Section.mjs';
  const { sections, money } = $props();
</script>
{#each sections as orders}<Section {orders} {money} />{/each}`;

async function compileAll(sources) {
  const { compile } = await import('svelte/compiler');
  // Beside node_modules, so that the components find Svelte.
  const folder = fs.mkdtempSync(path.join(__dirname, 'node_modules', '.svelte-'));
  try {
    for (const [name, source] of Object.entries(sources)) {
      const { js } = compile(source, { generate: 'server' });
      fs.writeFileSync(path.join(folder, `${name}.mjs`), js.code);
    }
    const load = async (name) => (await import(path.join(folder, `${name}.mjs`))).default;
    return { Section: await load('Section'), Page: await load('Page') };
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

async function main() {
  const { render } = await import('svelte/server');
  const { Section, Page } = await compileAll({ Order: ORDER, Section: SECTION, Page: PAGE });

  const renderPlain = () => render(Page, { props: { sections, money } }).body;

  async function renderSections() {
    let html = '';
    for await (const orders of pieces(sections)) {
      html += render(Section, { props: { orders, money } }).body;
    }
    return html;
  }

  serveRendered(isPlain ? renderPlain : renderSections,
    (html) => `<main>${html}<p>The end</p></main>\n`);
}

main();
