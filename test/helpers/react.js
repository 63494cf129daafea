'use strict';

// Helpers for the tests of <Scheduled>: pages with sections that log when they are rendered, and
// renders to a string.

const { Writable } = require('node:stream');
const { createElement: h } = require('react');
const { renderToPipeableStream } = require('react-dom/server');
const { Scheduled } = require('uv-scheduler/react');
const { countTurns } = require('../fixtures/react/count-turns.js');

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
  const { onStart = () => {}, onError = () => {}, isPipedAtOnce = false } = options;
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
    const stream = renderToPipeableStream(element, {
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

module.exports = { countTurns, h, page, render, sections };
