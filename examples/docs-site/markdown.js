'use strict';

// Processes Markdown: cuts a source text into sections, and turns a section into safe HTML, piece
// by piece, or into plain text for the search index. It knows nothing of pauses: whoever takes the
// pieces may pause between any two of them.

const { prepareLanguage, renderListing } = require('./highlight');
const { escapeAll, escapeText, renderHtmlBlock, safeHtml } = require('./safe-html');

// Blocks are lexed together up to this length: a long section is not lexed in one go.
const MAX_LEXED = 3000;
// A list or a table that is longer is rendered by its items and rows.
const MAX_BLOCK = 1000;

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
      return block ? [...renderHtmlBlock(text)].join('') : safeHtml(text);
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
      return [...renderListing(text, lang)].join('');
    }

    table(token) {
      return `<div class="table">${super.table(token)}</div>\n`;
    }
  }

  /** Adds a block to a section: to its last part, or as the first block of a new one. */
  function addBlock(section, token) {
    if (token.type === 'code') prepareLanguage(token.lang);
    section.source += token.raw;
    const { parts } = section;
    const last = parts.length - 1;
    // Two texts that follow each other may be one paragraph, so a cut comes before other blocks.
    const mayBeCut = token.type !== 'text' && token.type !== 'paragraph';
    if (mayBeCut && parts[last].length + token.raw.length > MAX_LEXED) parts.push(token.raw);
    else parts[last] += token.raw;
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
        sections.push({ title, depth: heading ? token.depth : 0, slug, source: '', parts: [''] });
      }
      addBlock(sections.at(-1), token);
    }
    // A section may use a reference link that another section defines.
    return { sections, links: lexer.tokens.links };
  }

  function* renderList(list, parser) {
    const tag = list.ordered ? 'ol' : 'ul';
    yield list.ordered && list.start !== 1 ? `<${tag} start="${list.start}">\n` : `<${tag}>\n`;
    for (const item of list.items) yield parser.renderer.listitem(item);
    yield `</${tag}>\n`;
  }

  function* renderTable(table, { renderer }) {
    const row = (cells) =>
      renderer.tablerow({ text: cells.map((cell) => renderer.tablecell(cell)).join('') });
    yield `<div class="table"><table>\n<thead>\n${row(table.header)}</thead>\n`;
    if (table.rows.length > 0) yield '<tbody>';
    for (const cells of table.rows) yield row(cells);
    if (table.rows.length > 0) yield '</tbody>';
    yield '</table>\n</div>\n';
  }

  function* renderBlock(token, parser) {
    const isLong = token.raw.length > MAX_BLOCK;
    if (token.type === 'code') yield* renderListing(token.text, token.lang);
    else if (token.type === 'html') yield* renderHtmlBlock(token.text);
    else if (token.type === 'list' && isLong) yield* renderList(token, parser);
    else if (token.type === 'table' && isLong) yield* renderTable(token, parser);
    else yield parser.parse([token]);
  }

  /**
   * Yields the HTML of a section piece by piece; some pieces are empty. Each request repeats all
   * steps: lexing, inline parsing, highlighting.
   */
  function* renderSection(section, links, resolveLink) {
    const parser = new Parser({ ...getDefaults(), renderer: new SafeRenderer(resolveLink) });
    for (const part of section.parts) {
      const lexer = new Lexer();
      // All sections share the links: lexing adds only missing ones, and none are missing.
      lexer.tokens.links = links;
      lexer.blockTokens(part, lexer.tokens);
      yield '';
      for (const { src, tokens } of lexer.inlineQueue) {
        lexer.inlineTokens(src, tokens);
        yield '';
      }
      for (const token of lexer.tokens) yield* renderBlock(token, parser);
    }
  }

  return { split, renderSection };
}

module.exports = { loadMarkdown, plainText };
