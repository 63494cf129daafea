'use strict';

// The pages as React components. The HTML of a section is a promise.

const { Suspense, createElement: h, use } = require('react');
const { renderToStaticMarkup } = require('react-dom/server');

function Shell({ title, site, children }) {
  return h('html', { lang: 'en' },
    h('head', null,
      h('meta', { charSet: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('title', null, title),
      h('link', { rel: 'icon', href: 'data:,' }),
      h('link', { rel: 'stylesheet', href: '/style.css' })),
    h('body', null,
      h('header', null,
        h('a', { href: '/' }, 'Package docs'),
        h('form', { action: '/search', role: 'search' },
          h('input', { type: 'search', name: 'q', 'aria-label': 'Search the documentation' }),
          h('button', null, 'Search'))),
      h('div', { className: 'columns' },
        h('nav', { 'aria-label': 'Documents' },
          h('ul', { dangerouslySetInnerHTML: { __html: site.list } })),
        h('main', null, h('h1', null, title), children))));
}

/**
 * Returns the list of documents as HTML. It is the same on every page and the longest part of a
 * page's shell, so it is rendered once.
 */
const renderList = (documents) => renderToStaticMarkup(documents.map(({ url, title }) =>
  h('li', { key: url }, h('a', { href: url }, title))));

// Each section has its own Suspense boundary, so it streams in as soon as its HTML is ready.
function Section({ section: { slug, title }, html }) {
  return h('section', { id: slug },
    h(Suspense, { fallback: h('p', null, title || '…') }, h(SectionBody, { html })));
}

const SectionBody = ({ html }) => h('div', { dangerouslySetInnerHTML: { __html: use(html) } });

function DocumentPage({ site, doc, html }) {
  return h(Shell, { title: doc.title, site },
    h('article', null, doc.sections.map((section, i) =>
      h(Section, { key: section.slug, section, html: html[i] }))));
}

function IndexPage({ site }) {
  const kilobytes = Math.round(site.bytes / 1024);
  return h(Shell, { title: 'Package docs', site },
    h('p', null, `What the installed packages say about themselves: ${site.documents.length} `
      + `documents, ${kilobytes} KB, rendered on request.`));
}

function SearchPage({ site, query, results, indexed }) {
  return h(Shell, { title: `Search: ${query}`, site },
    h('p', null, `${results.length} sections are shown; ${indexed} of ${site.documents.length} `
      + 'documents are indexed.'),
    h('ol', null, results.map(({ url, page, section, text }) =>
      h('li', { key: url },
        h('a', { href: url }, section === '' ? page : `${page}: ${section}`),
        h('p', null, text.slice(0, 240))))));
}

const NotFoundPage = ({ site }) => h(Shell, { title: 'There is no such page', site });

module.exports = { DocumentPage, IndexPage, NotFoundPage, SearchPage, renderList };
