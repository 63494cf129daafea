'use strict';

// Preact: a page of many sections in one tree, each behind a gate.

const { Component, createContext, h } = require('preact');
const { Suspense } = require('preact/compat');
const { renderToString, renderToStringAsync } = require('preact-render-to-string');
const { isPlain, pieces } = require('./variant.js');
const { createOrders, inSections, toPage } = require('./orders.js');
const { createSection } = require('./section.js');
const { serveRendered } = require('./serve.js');

const sections = inSections(createOrders(3500), 50);
const Section = createSection(h, 'class');

const Turns = createContext();

// Renders its children when the page has its next turn.
class Gate extends Component {
  static contextType = Turns;

  render({ children }) {
    if (this.isOpen) return children;
    throw this.context.next().then(() => {
      this.isOpen = true;
    });
  }
}

const Gated = ({ orders }) => h(Suspense, null, h(Gate, null, h(Section, { orders })));

const Page = ({ section }) => h('main', null, sections.map((orders) => h(section, { orders })));

const renderPlain = () => renderToString(h(Page, { section: Section }));

function render() {
  const page = h(Page, { section: Gated });
  return renderToStringAsync(h(Turns.Provider, { value: pieces(sections) }, page));
}

serveRendered(isPlain ? renderPlain : render, toPage);
