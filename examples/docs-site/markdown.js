'use strict';

// Processes Markdown: cuts a text into sections, and a section into pieces of safe HTML, or into
// plain text for the search index. The code that takes the pieces may pause between two of them.

const hljs = require('highlight.js');

// The maximum number of characters that are lexed together, and that are highlighted together.
const MOST_LEXED = 3000;
const LISTING = /[^]{1,1000}(?:\n|$)|.+\n?/g;

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;' };
const escape = (text) => text.replace(/[&<>"']/g, (c) => ENTITIES[c]);
// Keeps character references that the author wrote.
const escapeText = (text) =>
  text.replace(/&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,31});)|[<>"']/gi, (c) => ENTITIES[c]);

const withoutTags = (text) => text.replace(/<!--[^]*?(?:-->|$)|<\/?[a-z][^>]*>/gi, ' ');

const plainText = (markdown) => withoutTags(markdown)
  .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
  .replace(/[`*_~#>|=-]{2,}|[`*#>|]/g, ' ')
  .replace(/\s+/g, ' ')
  .trim();

// The language that highlight.js knows by what the author wrote, if it does.
function languageOf(info) {
  const [name] = /^[\w+#.-]*/.exec(info ?? '');
  return name !== '' && hljs.getLanguage(name) ? name : undefined;
}

// Yields a listing in parts of some lines: one call of highlight.js cannot be interrupted. A
// comment that goes on across the end of a part loses its colour.
function* renderListing({ text, lang }) {
  const language = languageOf(lang);
  yield '<pre><code class="hljs">';
  for (const [part] of text.matchAll(LISTING)) {
    yield language === undefined || part.length > MOST_LEXED ? escape(part)
      : hljs.highlight(part, { language, ignoreIllegals: true }).value;
  }
  yield '\n</code></pre>\n';
}

/** Uses import(), the only way on every Node to load the two ES modules from a CommonJS module. */
async function loadMarkdown() {
  const { Lexer, Parser, Renderer, getDefaults } = await import('marked');
  const { default: GithubSlugger } = await import('github-slugger');

  class SafeRenderer extends Renderer {
    constructor(resolveLink) {
      super();
      this.resolveLink = resolveLink;
    }

    // Raw HTML never reaches the page: its tags are dropped.
    html({ text, block }) {
      const safe = escapeText(withoutTags(text));
      return block && safe.trim() !== '' ? `<p>${safe}</p>\n` : safe;
    }

    text(token) {
      return token.tokens ? this.parser.parseInline(token.tokens) : escapeText(token.text);
    }

    image({ text }) {
      return escapeText(text);
    }

    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const target = this.resolveLink(href);
      return target === null ? inner : `<a href="${escape(target)}" rel="noopener">${inner}</a>`;
    }

    code(token) {
      return [...renderListing(token)].join('');
    }
  }

  // Adds a block to the last part of a section, or as the first one of a new part.
  function addBlock({ parts }, token) {
    // Compiles the grammar of the language, which takes up to 20 ms.
    if (languageOf(token.lang)) hljs.highlight('', { language: languageOf(token.lang) });
    // Two texts that follow each other may be one paragraph, so a cut comes before other blocks.
    const mayBeCut = token.type !== 'text' && token.type !== 'paragraph';
    if (mayBeCut && parts.at(-1).length + token.raw.length > MOST_LEXED) parts.push('');
    parts.push(parts.pop() + token.raw);
  }

  /** Cuts a text before each heading of the first three levels. */
  function split(source) {
    const lexer = new Lexer();
    lexer.blockTokens(source.replace(/\r\n?/g, '\n'), lexer.tokens);
    const sections = [];
    const slugger = new GithubSlugger();
    for (const token of lexer.tokens) {
      const isHeading = token.type === 'heading' && token.depth <= 3;
      if (isHeading || sections.length === 0) {
        const title = isHeading ? plainText(token.text) : '';
        sections.push({ title, slug: slugger.slug(title || 'section'), parts: [''] });
      }
      addBlock(sections.at(-1), token);
    }
    // A section may use a reference link that another section defines.
    return { sections, links: lexer.tokens.links };
  }

  /** Yields the HTML of a section piece by piece; some pieces are empty. */
  function* renderSection({ parts }, links, resolveLink) {
    const parser = new Parser({ ...getDefaults(), renderer: new SafeRenderer(resolveLink) });
    for (const part of parts) {
      const lexer = new Lexer();
      // All sections share the links: lexing adds only missing ones, and none are missing.
      lexer.tokens.links = links;
      lexer.blockTokens(part, lexer.tokens);
      yield '';
      for (const { src, tokens } of lexer.inlineQueue) {
        lexer.inlineTokens(src, tokens);
        yield '';
      }
      for (const token of lexer.tokens) {
        if (token.type === 'code') yield* renderListing(token);
        else yield parser.parse([token]);
      }
    }
  }

  return { split, renderSection };
}

module.exports = { loadMarkdown, plainText };
