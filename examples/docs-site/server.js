'use strict';

// The HTTP server: handles routes, streams pages with the given strategy, and answers the messages
// of its parent process, if there is one.

const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const { createElement } = require('react');
const { renderToPipeableStream } = require('react-dom/server');

const { TaskController } = require('uv-scheduler');
const { traceTasks } = require('uv-scheduler/watch');
const { controllerFor } = require('uv-scheduler/http');

const {
  createRenderingTimes, createSections, createStopwatch,
} = require('./document-response');
const { loadDocuments } = require('./documents');
const { loadMarkdown } = require('./markdown');
const pages = require('./page');
const { createSearchIndex } = require('./search-index');
const strategies = require('./strategies');

const MODULES = path.join(__dirname, '../../node_modules');
const MAX_QUERY = 200;

// Pages load nothing from other sites and send nothing; React's inline scripts insert the sections.
const POLICY = 'default-src \'none\'; style-src \'self\'; img-src data:; form-action \'self\'; '
  + 'script-src \'unsafe-inline\'; base-uri \'none\'; frame-ancestors \'none\'';
const HTML = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
};

function createSite(documents) {
  const packages = new Map();
  for (const doc of documents) {
    if (!packages.has(doc.package)) packages.set(doc.package, { name: doc.package, documents: [] });
    packages.get(doc.package).documents.push(doc);
  }
  return {
    documents,
    packages: [...packages.values()],
    packageList: pages.renderPackageList([...packages.values()]),
    byUrl: new Map(documents.map((doc) => [doc.url, doc])),
    bytes: documents.reduce((sum, doc) => sum + doc.bytes, 0),
  };
}

/** Returns the address on this site that a document's link leads to, or null to drop the link. */
function resolveLink(site, doc, href) {
  if (/^(?:https?|mailto):/i.test(href)) return href;
  if (href.startsWith('#')) return href;
  // This also drops every other scheme. Links to files of the package remain if they are documents.
  try {
    const url = new URL(href, `http://site${doc.url}`);
    return site.byUrl.has(url.pathname) && url.host === 'site' ? url.pathname + url.hash : null;
  } catch {
    return null;
  }
}

/** Renders the start of a page in a task: until the shell is sent, that is one piece. */
async function send(res, status, element, { strategy, signal, label }, onShell) {
  const render = () => {
    const { pipe, abort } = renderToPipeableStream(element, {
      onShellReady() {
        res.writeHead(status, HTML);
        pipe(res);
        onShell?.();
      },
      // Also reported to onError.
      onShellError() {
        res.writeHead(500).end();
      },
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

function sendDocument(res, site, doc, markdown, { times, ...context }) {
  const resolve = (href) => resolveLink(site, doc, href);
  const { html, render } = createSections({
    count: doc.sections.length,
    renderSection: (i) => markdown.renderSection(doc.sections[i], doc.links, resolve),
    ...context,
    stopwatch: createStopwatch(res, times),
  });
  // Sections begin when the shell is written, so no strategy has a section ready for the shell, and
  // all send the same bytes.
  const element = createElement(pages.DocumentPage, { site, doc, html });
  return send(res, 200, element, context, () => queueMicrotask(render));
}

/**
 * With `mayAbort` false, it goes on with the pages of visitors who have left. Further requests are
 * answered by the functions in `routes`, by path. With an `admission`, that decides which pages are
 * rendered when there are too many.
 */
async function startServer(strategy, options = {}) {
  const { port = 0, mayAbort = true, routes = new Map(), admission } = options;
  strategy.setUp?.();
  const markdown = await loadMarkdown();
  const site = createSite(loadDocuments(MODULES, markdown.split));
  if (site.documents.length === 0) throw new Error(`no Markdown files found in ${MODULES}`);
  const index = createSearchIndex(site.documents, strategy);
  const style = fs.readFileSync(path.join(__dirname, 'style.css'));

  const times = createRenderingTimes();

  function answerPage(req, res, pathname, query) {
    // Aborted when the visitor leaves before the answer is complete.
    const { signal } = mayAbort ? controllerFor(res) : new TaskController();
    const context = { strategy, signal, label: pathname, times };
    // Looks up a document by its address, never by a path on the disk.
    const doc = site.byUrl.get(pathname);
    if (doc !== undefined) return sendDocument(res, site, doc, markdown, context);
    if (pathname === '/') return send(res, 200, createElement(pages.IndexPage, { site }), context);
    if (pathname === '/search') {
      const text = (new URLSearchParams(query).get('q') ?? '').trim().slice(0, MAX_QUERY);
      return send(res, 200, createElement(pages.SearchPage, {
        site, query: text, results: index.search(text), indexed: index.count,
      }), context);
    }
    return send(res, 404, createElement(pages.NotFoundPage, { site }), context);
  }

  const server = http.createServer((req, res) => {
    // Once the server is closed, its connections end with the answers that are under way.
    res.on('close', () => {
      if (!server.listening) server.closeIdleConnections();
    });
    const at = req.url.indexOf('?');
    const [pathname, query] = at === -1 ? [req.url, ''] : [req.url.slice(0, at), req.url.slice(at)];
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { allow: 'GET, HEAD' }).end();
    } else if (pathname === '/health') {
      res.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
    } else if (pathname === '/style.css') {
      res.writeHead(200, { 'content-type': 'text/css' }).end(style);
    } else if (routes.has(pathname)) {
      routes.get(pathname)(req, res);
    } else if (admission !== undefined) {
      admission.admit(req, res, () => answerPage(req, res, pathname, query));
    } else {
      answerPage(req, res, pathname, query);
    }
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { site, index, markdown, server, times, url: `http://127.0.0.1:${server.address().port}` };
}

/** As a child process: serves with the strategy from the command line until disconnected. */
async function serveParent(strategy, { mayAbort }) {
  // Ctrl+C reaches the whole process group; the parent ends its children in its own order.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
  const { site, index, times, url } = await startServer(strategy, { mayAbort });
  let trace;
  process.on('message', async ({ command, file }) => {
    if (command === 'start-tracing') trace = traceTasks(file);
    if (command === 'stop-tracing') trace.stop();
    if (command === 'start-indexing') index.start({ again: true });
    if (command === 'stop-indexing') await index.stop();
    process.send({ added: index.added, times });
  });
  process.send({ url, paths: site.documents.map((doc) => doc.url), bytes: site.bytes });
}

module.exports = { resolveLink, startServer };

if (require.main === module) {
  const [name, option] = process.argv.slice(2);
  serveParent(strategies[name], { mayAbort: option !== 'no-abort' }).catch((error) => {
    console.error(error);
    process.exit(1);
  });
}
