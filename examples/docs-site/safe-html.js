'use strict';

// Makes text and raw HTML safe to put into a page.

const sanitizeHtml = require('sanitize-html');

// Longer HTML is cut between two lines that hold whole tags.
const MIN_PART = 1000;
// A cut inside of one of these would change what the rest means.
const NOT_CUT = /<!--|<!\[|<\/?(?:script|style|textarea|title|option|xmp|noscript|iframe)\b/i;

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;' };
const escapeAll = (text) => text.replace(/[&<>"']/g, (c) => ENTITIES[c]);
// Keeps character references that the author wrote.
const escapeText = (text) =>
  text.replace(/&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,31});)|[<>"']/gi, (c) => ENTITIES[c]);

// Raw HTML never reaches the page: all its tags are dropped, and the text between them is escaped.
// An image is replaced by its alternative text, like images written in Markdown.
const safeHtml = (html) => sanitizeHtml(html, {
  allowedTags: ['br', 'span'],
  allowedAttributes: {},
  transformTags: { img: (_, { alt = '' }) => ({ tagName: 'span', text: alt }) },
});

function* parts(html) {
  let start = 0;
  if (!NOT_CUT.test(html)) {
    const place = />[ \t]*\n(?=[ \t]*<)/g;
    for (;;) {
      place.lastIndex = start + MIN_PART;
      if (place.lastIndex >= html.length || place.exec(html) === null) break;
      yield html.slice(start, place.lastIndex);
      start = place.lastIndex;
    }
  }
  yield html.slice(start);
}

/** Yields a block of HTML piece by piece. Each piece is safe by itself. */
function* renderHtmlBlock(html) {
  let isOpen = false;
  for (const part of parts(html)) {
    const safe = safeHtml(part);
    const text = isOpen ? safe : safe.trimStart();
    if (text === '') {
      yield '';
      continue;
    }
    yield isOpen ? text : `<p>${text}`;
    isOpen = true;
  }
  if (isOpen) yield '</p>\n';
}

module.exports = { escapeAll, escapeText, renderHtmlBlock, safeHtml };
