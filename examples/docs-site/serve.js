'use strict';

// Keeps the site running until it is ended from outside. Ctrl+C ends it at once; SIGTERM lets it
// answer what it has accepted.

// A supervisor waits 10 s in most cases before it kills a process.
const TIMEOUT = 8000;

// The longest that a page may wait for its first turn, in ms.
const REFUSE_AFTER = { 'user-visible': 2000 };

/** Takes no more requests, renders what was asked for, drops the index rebuild, and ends. */
async function end(server, page) {
  const { shutDown } = require('uv-scheduler/http');
  page.end();
  const { completed, aborted } = await shutDown(server, { timeout: TIMEOUT });
  const finished = completed['user-blocking'] + completed['user-visible'];
  process.stdout.write(`\nEnded by SIGTERM: ${finished} tasks of pages finished, `
    + `${aborted.background} of the index rebuild dropped\n`);
  process.exit(0);
}

/** With `isBusy`, the search index is built again and again, and not once. */
async function serve({ port, isBusy, trace }) {
  // React reads this when it is loaded.
  process.env.NODE_ENV = 'production';
  const { createMetrics } = require('./metrics');
  const { traceTasks } = require('uv-scheduler/watch');
  const { createAdmission } = require('uv-scheduler/http');
  const { createSchedulerPage } = require('./scheduler-page.cjs');
  const { startServer } = require('./server');
  const { prioritized } = require('./strategies');
  // The user interrupts the process to end it.
  process.on('SIGINT', () => process.exit(0));
  if (trace !== undefined) traceTasks(trace);
  const admission = createAdmission({ refuseAfter: REFUSE_AFTER });
  const page = createSchedulerPage(admission);
  const routes = new Map([...page.routes, ['/metrics', createMetrics()]]);
  const { index, server, site, url } = await startServer(prioritized, { port, routes, admission });
  process.once('SIGTERM', () => end(server, page));
  process.stdout.write(`${site.documents.length} documents at ${url}/ (Ctrl+C ends it)\n`
    + `What its tasks do: ${url}/scheduler\n`);
  try {
    await index.start({ again: isBusy });
  } catch (error) {
    // Draining drops background tasks.
    if (error.name !== 'AbortError') throw error;
  }
}

module.exports = { serve };
