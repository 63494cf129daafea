'use strict';

// Preact: a page of many sections, each rendered by itself.

const { h } = require('preact');
const { renderToString } = require('preact-render-to-string');
const { isPlain, pieces } = require('./variant.js');
const { createOrders, inSections, toPage } = require('./orders.js');
const { createSection } = require('./section.js');
const { serveRendered } = require('./serve.js');

const sections = inSections(createOrders(3500), 50);
const Section = createSection(h, 'class');

const Page = () => h('main', null, sections.map((orders) => h(Section, { orders })));

const renderPlain = () => renderToString(h(Page));

async function render() {
  let html = '<main>';
  for await (const orders of pieces(sections)) html += renderToString(h(Section, { orders }));
  return `${html}</main>`;
}

serveRendered(isPlain ? renderPlain : render, toPage);
