'use strict';

// React Router in its data mode, which needs no build: a page of many sections, sent when all of
// them are rendered.

// React asks for it when it is loaded.
process.env.NODE_ENV = 'production';

const { PassThrough } = require('node:stream');
const { text } = require('node:stream/consumers');
const { Fragment, Suspense, createElement: h, use } = require('react');
const { renderToPipeableStream } = require('react-dom/server');
const {
  StaticRouterProvider, createStaticHandler, createStaticRouter, useLoaderData,
} = require('react-router');
const { Scheduled } = require('uv-scheduler/react');
const { name } = require('./variant.js');
const { createOrders, inSections, toPage } = require('./orders.js');
const { createSection } = require('./section.js');
const { serveRendered } = require('./serve.js');

const sections = inSections(createOrders(2500), 50);

const Section = createSection(h, 'className');

const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

// A promise for each section, each fulfilled a turn of the loop after the one before.
function createGates() {
  let gate = Promise.resolve();
  return sections.map(() => (gate = gate.then(nextImmediate)));
}

function Gate({ gate, children }) {
  use(gate);
  return children;
}

// The element around a section, by variant.
const AROUND = {
  plain: (key, section) => h(Fragment, { key }, section),
  immediates: (key, section, gate) => h(Suspense, { key }, h(Gate, { gate }, section)),
  'uv-scheduler': (key, section) => h(Scheduled, { key }, section),
};
const around = AROUND[name];

function Page() {
  const gates = useLoaderData();
  return h('main', null, sections.map((some, index) =>
    around(index, h(Section, { orders: some }), gates[index])));
}

const handler = createStaticHandler([{ path: '/page', loader: createGates, Component: Page }]);

async function render() {
  const context = await handler.query(new Request('http://localhost/page'));
  const router = createStaticRouter(handler.dataRoutes, context);
  const page = h(StaticRouterProvider, { router, context, hydrate: false });
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(page, {
      onAllReady: () => resolve(text(pipe(new PassThrough()))),
      onError: reject,
      // React would put large sections at the end of the page.
      progressiveChunkSize: Infinity,
    });
  });
}

serveRendered(render, toPage);
