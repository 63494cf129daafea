'use strict';

// Turns a listing into HTML, a short piece at a time: one call of highlight.js cannot be
// interrupted, and takes about a millisecond for each 1,500 characters.

const hljs = require('highlight.js');

const { escapeAll } = require('./safe-html');

// A listing is cut where its next part is likely to stand for itself: before a line that is not
// indented and follows an empty line. The colours are right unless a comment or a string goes on
// across such a place. The parts are this long at least, so that few places are cut.
const MIN_PART = 400;
// A part without such a place in it is cut before any line; a very long line stays plain.
const MAX_PART = 1000;
const MAX_LINE = 3000;

/** Returns the end of the part that begins at `start`. */
function endOfPart(text, start) {
  if (text.length - start <= MAX_PART) return text.length;
  const place = /\n\n(?=\S)/g;
  place.lastIndex = start + MIN_PART;
  const found = place.exec(text);
  if (found !== null && place.lastIndex - start <= MAX_PART) return place.lastIndex;
  const line = text.lastIndexOf('\n', start + MAX_PART);
  if (line > start) return line + 1;
  const next = text.indexOf('\n', start);
  return next === -1 ? text.length : next + 1;
}

function* parts(text) {
  for (let start = 0; start < text.length;) {
    const end = endOfPart(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

function highlightPart(text, language) {
  if (text.length > MAX_LINE) return escapeAll(text);
  return hljs.highlight(text, { language, ignoreIllegals: true }).value;
}

/** Returns the language that highlight.js knows by what the author wrote; or null. */
function languageOf(info) {
  const name = /^[\w+#.-]*/.exec(info ?? '')[0];
  return name !== '' && hljs.getLanguage(name) ? name : null;
}

/** Yields the HTML of a listing, with what its author wrote for the language, piece by piece. */
function* renderListing(text, info) {
  const language = languageOf(info);
  yield '<pre><code class="hljs">';
  if (language === null) yield escapeAll(text);
  else for (const part of parts(text)) yield highlightPart(part, language);
  yield '\n</code></pre>\n';
}

/**
 * Compiles the grammar of a language, which highlight.js would do when a page first needs it, and
 * which takes up to 20 ms.
 */
function prepareLanguage(info) {
  const language = languageOf(info);
  if (language !== null) hljs.highlight('', { language });
}

module.exports = { prepareLanguage, renderListing };
