'use strict';

// Serves the site until it is ended from outside. Ctrl+C ends it at once; SIGTERM lets it answer
// what it has accepted.

const { parseArgs } = require('node:util');

const USAGE = `usage: npm start -- --serve [--port N] [--busy] [--trace FILE]

  --port N      the port (default: a free one)
  --busy        build the search index again and again, not once
  --trace FILE  write what the tasks do until the end, as a Chrome trace
  --help        print this
`;

// A supervisor waits 10 s in most cases before it kills a process.
const TIMEOUT = 8000;

// The longest that a page may wait for its first turn, in ms.
const REFUSE_AFTER = { 'user-visible': 2000 };

function readArguments() {
  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  const { values } = parseArgs({
    options: { serve: flag, port: { ...text, default: '0' }, busy: flag, trace: text, help: flag },
  });
  if (!/^\d{1,5}$/.test(values.port) || values.port > 65535) {
    throw new TypeError(`--port must be a number from 0 to 65535, not '${values.port}'`);
  }
  if (values.trace === '') throw new TypeError('--trace needs the name of a file');
  return values;
}

async function serve({ port, busy, trace }) {
  // React reads this when it is loaded.
  process.env.NODE_ENV = 'production';
  const { Registry } = require('prom-client');
  const { traceTasks } = require('uv-scheduler/watch');
  const { createAdmission, shutDown } = require('uv-scheduler/http');
  const { collectTaskMetrics } = require('uv-scheduler/prometheus');
  const { createSchedulerPage } = require('./scheduler-page.cjs');
  const { startServer } = require('./server');
  // The user interrupts the process to end it.
  process.on('SIGINT', () => process.exit(0));
  if (trace !== undefined) traceTasks(trace);
  const register = new Registry();
  collectTaskMetrics({ register });
  const admission = createAdmission({ refuseAfter: REFUSE_AFTER });
  const page = createSchedulerPage(admission);
  const routes = new Map([...page.routes, ['/metrics', async (req, res) => {
    const text = await register.metrics();
    res.writeHead(200, { 'content-type': register.contentType }).end(text);
  }]]);
  const options = { port: Number(port), routes, admission };
  const { index, server, site, url } = await startServer(options);
  // Takes no more requests, renders what was asked for, drops the index rebuild, and ends.
  process.once('SIGTERM', async () => {
    page.end();
    const { completed, aborted } = await shutDown(server, { timeout: TIMEOUT });
    const finished = completed['user-blocking'] + completed['user-visible'];
    process.stdout.write(`\nEnded by SIGTERM: ${finished} tasks of pages finished, `
      + `${aborted.background} of the index rebuild dropped\n`);
    process.exit(0);
  });
  process.stdout.write(`${site.documents.length} documents at ${url}/ (Ctrl+C ends it)\n`
    + `What its tasks do: ${url}/scheduler\n`);
  try {
    await index.start({ again: busy });
  } catch (error) {
    // Draining drops background tasks.
    if (error.name !== 'AbortError') throw error;
  }
}

function main() {
  let options;
  try {
    options = readArguments();
  } catch (error) {
    process.stderr.write(`docs-site: ${error.message}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (options.help) process.stdout.write(USAGE);
  else serve(options);
}

main();
