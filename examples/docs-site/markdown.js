'use strict';

// Processes Markdown: cuts a source text into sections, and turns a section into safe HTML or into
// plain text for the search index. After holding the thread for a while it calls the `pause` that
// the caller passed in.

const hljs = require('highlight.js');
const sanitizeHtml = require('sanitize-html');

// How long rendering or indexing goes on before it offers to pause. A request that arrives in
// between waits for half of that on average, which should be little compared to a page's 3 ms.
const CHUNK_MS = 0.25;
// One highlight() call can't be interrupted, so a very long listing stays plain.
const MAX_HIGHLIGHT = 16 * 1024;

/** Calls `pause` when the current chunk has lasted long enough; all strategies use this policy. */
function createPacer(pause) {
  let start = performance.now();
  return {
    due: () => performance.now() - start >= CHUNK_MS,
    async pause() {
      await pause();
      start = performance.now();
    },
  };
}

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

function plainText(markdown) {
  return markdown.replace(/<!--[\s\S]*?(?:-->|$)|<\/?[a-z][^>]*>/gi, ' ')
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/^\s*\[[^\]]+\]:.*$/gm, ' ')
    .replace(/[`*_~#>|=-]{2,}|[`*#>|]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
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

    html({ text, block }) {
      const html = safeHtml(text).trim();
      if (!block) return safeHtml(text);
      return html === '' ? '' : `<p>${html}</p>\n`;
    }

    text(token) {
      return token.tokens ? this.parser.parseInline(token.tokens) : escapeText(token.text);
    }

    image({ text }) {
      return text ? `<span class="image">${escapeText(text)}</span>` : '';
    }

    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const target = this.resolveLink(href);
      return target === null ? inner : `<a href="${escapeAll(target)}" rel="noopener">${inner}</a>`;
    }

    code({ text, lang }) {
      const name = /^[\w+#.-]*/.exec(lang ?? '')[0];
      const known = name !== '' && hljs.getLanguage(name) && text.length <= MAX_HIGHLIGHT;
      const html = known
        ? hljs.highlight(text, { language: name, ignoreIllegals: true }).value
        : escapeAll(text);
      return `<pre><code class="hljs">${html}\n</code></pre>\n`;
    }

    table(token) {
      return `<div class="table">${super.table(token)}</div>\n`;
    }
  }

  /** Cuts a text before each heading of the first three levels. */
  function split(source) {
    const lexer = new Lexer();
    lexer.blockTokens(source.replace(/\r\n?/g, '\n'), lexer.tokens);
    const sections = [];
    const slugger = new GithubSlugger();
    for (const token of lexer.tokens) {
      const heading = token.type === 'heading' && token.depth <= 3;
      if (heading || sections.length === 0) {
        const title = heading ? plainText(token.text) : '';
        const slug = slugger.slug(title || 'section');
        sections.push({ title, depth: heading ? token.depth : 0, slug, source: '' });
      }
      sections.at(-1).source += token.raw;
    }
    // A section may use a reference link that another section defines.
    return { sections, links: lexer.tokens.links };
  }

  /**
   * Renders a section. Each request repeats all steps: lexing, inline parsing, highlighting. There
   * may be a pause between any two of them.
   */
  async function renderSection(section, links, resolveLink, pause) {
    const pacer = createPacer(pause);
    const lexer = new Lexer();
    // All sections share the links: lexing adds only missing ones, and none are missing.
    lexer.tokens.links = links;
    lexer.blockTokens(section.source, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      if (pacer.due()) await pacer.pause();
      lexer.inlineTokens(src, tokens);
    }
    const parser = new Parser({ ...getDefaults(), renderer: new SafeRenderer(resolveLink) });
    let html = '';
    for (const token of lexer.tokens) {
      if (pacer.due()) await pacer.pause();
      html += parser.parse([token]);
    }
    return html;
  }

  return { split, renderSection };
}

module.exports = { createPacer, loadMarkdown, plainText };
