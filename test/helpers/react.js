'use strict';

// Helpers for the tests of <Scheduled>: pages with sections that log when they are rendered, and
// renders to a string. Under the condition `react-server` the renderer is that of server
// components. As the first argument of a program, `copy` stands for a <Scheduled> that has loaded a
// copy of React which does not render, as Next.js has it if the package is external.

const path = require('node:path');
const { Writable } = require('node:stream');

const IS_SERVER = process.execArgv.includes('--conditions=react-server');
const IS_COPY = process.argv[2] === 'copy';

// The packages that render, which are loaded when they are used.
const RENDERER = IS_SERVER ? 'react-server-dom-parcel/server' : 'react-dom/server';

const { Scheduled } = IS_COPY ? loadWithOtherCopy() : require('uv-scheduler/react');
const { createElement: h } = require('react');

// Loads uv-scheduler/react for Node's own conditions. Code that requires React afterwards gets
// another copy.
function loadWithOtherCopy() {
  const cjs = path.join(path.dirname(require.resolve('react/package.json')), 'cjs');
  const mode = process.env.NODE_ENV === 'production' ? 'production' : 'development';
  for (const name of ['react', 'react/jsx-runtime']) require(name);
  for (const name of ['react', 'react/jsx-runtime']) {
    const file = path.join(cjs, `${name.replace('/', '-')}.${mode}.js`);
    require.cache[require.resolve(name)].exports = require(file);
  }
  const outside = require('react');
  const loaded = require('../../dist/react.js');
  for (const file of Object.keys(require.cache)) {
    if (/[\\/]node_modules[\\/]react/.test(file)) delete require.cache[file];
  }
  if (require('react') === outside) throw new Error('It is the same copy');
  return loaded;
}

// In ms.
const LONG = 6;

// Counts the turns of the loop until `end()`, with an immediate that is always waiting.
function countTurns() {
  const counter = { turn: 0, end: () => clearImmediate(immediate) };
  const next = () => {
    counter.turn++;
    immediate = setImmediate(next);
  };
  let immediate = setImmediate(next);
  return counter;
}

// Counts the calls of `note` in each turn of the loop in which there are any. Each takes longer
// than sections have in one turn.
function countPerTurn() {
  const counter = countTurns();
  const counts = new Map();
  return {
    note(value = 'noted') {
      for (const end = performance.now() + LONG; performance.now() < end;);
      counts.set(counter.turn, (counts.get(counter.turn) ?? 0) + 1);
      return value;
    },
    end() {
      counter.end();
      return [...counts.values()];
    },
  };
}

// A page of sections, each behind a gate of its own. `propsOf` returns the props of a section's
// gate, `render` is called when the section is rendered, and returns what it shows.
function page(count, render, propsOf = () => ({}), Boundary = Scheduled) {
  const Section = ({ number }) => h('p', null, render(number));
  const boundary = (_, number) => {
    const props = { key: number, fallback: h('i', null, number), ...propsOf(number) };
    return h(Boundary, props, h(Section, { number }));
  };
  return h('main', null, Array.from({ length: count }, boundary));
}

// Renders an element to the end. The result has the HTML and the errors that React reported.
// `onStart` gets React's stream. By default the HTML is sent when it is complete, so that it has no
// scripts.
function render(element, options = {}) {
  const { onStart = () => {}, onError = () => {}, isPipedAtOnce = IS_SERVER } = options;
  return new Promise((resolve, reject) => {
    const errors = [];
    let html = '';
    const sink = new Writable({
      write(chunk, encoding, done) {
        html += chunk;
        done();
      },
      final(done) {
        resolve({ html, errors });
        done();
      },
    });
    const stream = require(RENDERER).renderToPipeableStream(element, {
      onError(error) {
        errors.push(error);
        onError(error);
      },
      onShellError: reject,
      onAllReady: () => isPipedAtOnce || stream.pipe(sink),
    });
    if (isPipedAtOnce) stream.pipe(sink);
    onStart(stream);
  });
}

// The text that a user sees: the paragraphs in the order in which they were sent.
const sections = (html) => Array.from(html.matchAll(/<p>(.*?)<\/p>/g), ([, text]) => text);

module.exports = {
  IS_COPY, IS_SERVER, Scheduled, countPerTurn, countTurns, h, page, render, sections,
};
