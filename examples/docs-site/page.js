'use strict';

// Defines the pages as React components, which get all variable text as data. A section's HTML is
// a promise.

const { Suspense, createElement: h, use } = require('react');
const { renderToStaticMarkup } = require('react-dom/server');

// Limits the table of contents, which would fill more than a screen for a long changelog.
const MAX_CONTENTS = 40;

function Shell({ title, site: { packages, packageList }, current, query, children }) {
  return h('html', { lang: 'en' },
    h('head', null,
      h('meta', { charSet: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { name: 'color-scheme', content: 'light dark' }),
      h('title', null, title),
      h('link', { rel: 'icon', href: 'data:,' }),
      h('link', { rel: 'stylesheet', href: '/style.css' })),
    h('body', null,
      h('a', { className: 'skip', href: '#content' }, 'Skip to content'),
      h('header', null,
        h('a', { className: 'brand', href: '/' }, 'Package docs'),
        h(SearchBox, { query })),
      h('div', { className: 'columns' },
        h('nav', { className: 'packages', 'aria-label': 'Packages' },
          current && h(CurrentPackage, { packages, current }),
          h('details', { open: true },
            h('summary', null, `${packages.length} packages`),
            h('ul', { dangerouslySetInnerHTML: { __html: packageList } }))),
        h('main', { id: 'content' }, children))));
}

function SearchBox({ query }) {
  return h('form', { action: '/search', role: 'search' },
    h('input', {
      type: 'search',
      name: 'q',
      placeholder: 'Search the documentation',
      'aria-label': 'Search the documentation',
      defaultValue: query,
    }),
    h('button', null, 'Search'));
}

function CurrentPackage({ packages, current }) {
  const { name, documents } = packages.find((pkg) => pkg.name === current.package);
  return h('div', { className: 'current' },
    h('strong', null, name),
    h('ul', null, documents.map((doc) =>
      h('li', { key: doc.url },
        h('a', { href: doc.url, 'aria-current': doc === current ? 'page' : undefined },
          doc.file)))));
}

/**
 * Returns the list of packages as HTML. It is the same on every page and the longest part of a
 * page's shell, so it is rendered once.
 */
function renderPackageList(packages) {
  return renderToStaticMarkup(packages.map((pkg) =>
    h('li', { key: pkg.name }, h('a', { href: pkg.documents[0].url }, pkg.name))));
}

function Contents({ sections }) {
  const listed = sections.filter((section) => section.depth > 1).slice(0, MAX_CONTENTS);
  if (listed.length < 3) return null;
  return h('details', { className: 'contents' },
    h('summary', null, 'On this page'),
    h('ul', null, listed.map((section) =>
      h('li', { key: section.slug, className: `depth-${section.depth}` },
        h('a', { href: `#${section.slug}` }, section.title)))));
}

// Each section has its own Suspense boundary, so it streams in as soon as its HTML is ready.
function Section({ section, html }) {
  return h('section', { id: section.slug },
    h(Suspense, { fallback: h('p', { className: 'pending' }, section.title || '…') },
      h(SectionBody, { html })));
}

function SectionBody({ html }) {
  return h('div', { dangerouslySetInnerHTML: { __html: use(html) } });
}

function DocumentPage({ site, doc, html }) {
  return h(Shell, { title: doc.title, site, current: doc },
    h('p', { className: 'path' }, `${doc.package} / ${doc.file}`),
    h(Contents, { sections: doc.sections }),
    h('article', null, doc.sections.map((section, i) =>
      h(Section, { key: section.slug, section, html: html[i] }))));
}

function IndexPage({ site }) {
  const kilobytes = Math.round(site.bytes / 1024);
  return h(Shell, { title: 'Package docs', site },
    h('h1', null, 'Package docs'),
    h('p', { className: 'lead' }, 'What the installed packages say about '
      + `themselves: ${site.documents.length} documents, ${kilobytes} KB, rendered on request.`),
    h('ul', { className: 'cards' }, site.packages.map((pkg) => h(Card, { key: pkg.name, pkg }))));
}

function Card({ pkg }) {
  const bytes = pkg.documents.reduce((sum, doc) => sum + doc.bytes, 0);
  const count = pkg.documents.length;
  return h('li', null,
    h('a', { href: pkg.documents[0].url }, pkg.name),
    h('span', null, `${count} document${count === 1 ? '' : 's'}, ${Math.ceil(bytes / 1024)} KB`));
}

function SearchPage({ site, query, results, indexed }) {
  const total = site.documents.length;
  const state = indexed === total
    ? `All ${total} documents are indexed.`
    : `${indexed} of ${total} documents are indexed so far.`;
  const found = query === '' ? 'Type a word or two above.'
    : results.length === 0 ? 'Nothing found.'
      : `The best ${results.length === 1 ? 'section' : `${results.length} sections`}.`;
  return h(Shell, { title: `Search: ${query}`, site, query },
    h('h1', null, 'Search'),
    h('p', { className: 'lead' }, `${found} ${state}`),
    h('ol', { className: 'results' }, results.map((result) =>
      h(Result, { key: result.url, result }))));
}

function Result({ result }) {
  return h('li', null,
    h('a', { href: result.url }, result.section || result.page),
    h('span', { className: 'path' }, result.page),
    h('p', null, h(Excerpt, { text: result.text, terms: result.terms })));
}

/** Shows the text around the first match, with every match marked. */
function Excerpt({ text, terms }) {
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(${escaped.join('|')})`, 'gi');
  const first = Math.max(0, text.search(pattern));
  const start = first < 80 ? 0 : text.indexOf(' ', first - 80) + 1;
  const parts = text.slice(start, start + 240).split(pattern);
  return [
    start > 0 && '… ',
    // split() with one group puts the matches at the odd indexes.
    ...parts.map((part, i) => (i % 2 === 1 ? h('mark', { key: i }, part) : part)),
    start + 240 < text.length && ' …',
  ];
}

function NotFoundPage({ site }) {
  return h(Shell, { title: 'Not found', site },
    h('h1', null, 'Not found'),
    h('p', { className: 'lead' }, 'There is no such page. The packages are listed beside.'));
}

module.exports = { DocumentPage, IndexPage, NotFoundPage, SearchPage, renderPackageList };
