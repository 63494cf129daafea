'use strict';

// The HTTP server: handles routes, and streams pages.

const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const { createElement } = require('react');
const { renderToPipeableStream } = require('react-dom/server');

const { TaskController } = require('uv-scheduler');
const { controllerFor } = require('uv-scheduler/http');

const { loadDocuments } = require('./documents');
const { loadMarkdown } = require('./markdown');
const pages = require('./page');
const { SearchIndex } = require('./search-index');
const { createSections } = require('./sections');
const ownStrategy = require('./strategy');

const MODULES = path.join(__dirname, '../../node_modules');
const MOST_QUERY = 200;

// Pages load nothing from other sites and send nothing; React's inline scripts insert the sections.
const HTML = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': 'default-src \'none\'; style-src \'self\'; img-src data:; '
    + 'form-action \'self\'; script-src \'unsafe-inline\'; base-uri \'none\'; '
    + 'frame-ancestors \'none\'',
  'x-content-type-options': 'nosniff',
};

async function createSite() {
  const { split, renderSection } = await loadMarkdown();
  const documents = loadDocuments(MODULES, split);
  const byUrl = new Map(documents.map((doc) => [doc.url, doc]));

  // The address that a document's link leads to, or null to drop the link: of other sites, and of
  // documents on this one. This also drops other schemes.
  function resolveLink(doc, href) {
    if (/^(?:https?:|mailto:|#)/i.test(href)) return href;
    if (!URL.canParse(href, `http://site${doc.url}`)) return null;
    const { host, pathname, hash } = new URL(href, `http://site${doc.url}`);
    return host === 'site' && byUrl.has(pathname) ? pathname + hash : null;
  }

  return {
    documents, byUrl,
    list: pages.renderList(documents),
    bytes: documents.reduce((sum, { bytes }) => sum + bytes, 0),
    /** Yields the HTML of a section of a document, piece by piece. */
    piecesOf: (doc, i) =>
      renderSection(doc.sections[i], doc.links, (href) => resolveLink(doc, href)),
  };
}

/** Renders the start of a page in a task: until the shell is sent, that is one piece. */
async function send(status, element, { res, strategy, signal, label }, onShell) {
  const render = () => {
    const { pipe, abort } = renderToPipeableStream(element, {
      onShellReady() {
        res.writeHead(status, HTML);
        pipe(res);
        onShell?.();
      },
      // Also reported to onError.
      onShellError: () => res.writeHead(500).end(),
      onError(error) {
        // Neither a visitor who leaves nor what drain() refuses is an error of the site.
        if (!res.destroyed && error.name !== 'AbortError') console.error(error);
      },
    });
    res.on('close', () => {
      if (!res.writableFinished) abort();
    });
  };
  try {
    await strategy.render(render, { urgent: true, signal, label: `start of ${label}` });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * With `mayAbort` false, it goes on with the pages of visitors who have left. Further requests are
 * answered by the functions in `routes`, by path. With an `admission`, that decides which pages are
 * rendered when there are too many.
 */
async function startServer(options = {}) {
  const {
    strategy = ownStrategy, port = 0, mayAbort = true, routes = new Map(), admission,
  } = options;
  strategy.setUp?.();
  const site = await createSite();
  const index = new SearchIndex(site.documents, strategy);
  const style = fs.readFileSync(path.join(__dirname, 'style.css'));

  function answerPage(res, { pathname, searchParams }) {
    // Aborted when the visitor leaves before the answer is complete.
    const { signal } = mayAbort ? controllerFor(res) : new TaskController();
    const context = { res, strategy, signal, label: pathname };
    const sendPage = (page, data, ...rest) =>
      send(page === pages.NotFoundPage ? 404 : 200, createElement(page, { site, ...data }), context,
        ...rest);
    // Looks up a document by its address, never by a path on the disk.
    const doc = site.byUrl.get(pathname);
    if (doc !== undefined) {
      const { html, render } =
        createSections(doc.sections.length, (i) => site.piecesOf(doc, i), context);
      // Sections begin when the shell is written, so no strategy has a section ready for the shell,
      // and all send the same bytes.
      return sendPage(pages.DocumentPage, { doc, html }, () => queueMicrotask(render));
    }
    if (pathname === '/search') {
      const query = (searchParams.get('q') ?? '').trim().slice(0, MOST_QUERY);
      const results = index.search(query);
      return sendPage(pages.SearchPage, { query, results, indexed: index.count });
    }
    return sendPage(pathname === '/' ? pages.IndexPage : pages.NotFoundPage);
  }

  const server = http.createServer((req, res) => {
    // Once the server is closed, its connections end with the answers that are under way.
    res.on('close', () => {
      if (!server.listening) server.closeIdleConnections();
    });
    const url = new URL(`http://site/${req.url.slice(1)}`);
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { allow: 'GET, HEAD' }).end();
    } else if (url.pathname === '/health') {
      res.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
    } else if (url.pathname === '/style.css') {
      res.writeHead(200, { 'content-type': 'text/css' }).end(style);
    } else if (routes.has(url.pathname)) {
      routes.get(url.pathname)(req, res);
    } else if (admission !== undefined) {
      admission.admit(req, res, () => answerPage(res, url));
    } else {
      answerPage(res, url);
    }
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { site, index, server, url: `http://127.0.0.1:${server.address().port}` };
}

module.exports = { startServer };
