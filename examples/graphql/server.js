// A query for a long list that GraphQL Yoga resolves in pieces, so that other requests are answered
// meanwhile. schema.js has the pieces.

import http from 'node:http';
import { createYoga } from 'graphql-yoga';
import { scheduler } from 'uv-scheduler';
import { controllerFor, shutDown } from 'uv-scheduler/http';
import { priorityOf } from '../shared/classes.mjs';
import { shutDownOnSignals } from '../shared/shut-down.mjs';
import { MONTHS, salesOf } from './orders.js';
import { schema } from './schema.js';

const yoga = createYoga({ schema });

// A checkout is served first, however many queries wait: its class is user-blocking.
function checkOut(response) {
  const [{ product }] = salesOf(MONTHS - 1);
  response.writeHead(201).end(`Thank you. Others bought a ${product}.\n`);
}

// Each request is handled in a task. It has the priority of its class, and ends when its client
// leaves.
async function handle(request, response, pathname) {
  const priority = priorityOf(pathname, request.headers['user-agent']);
  const { signal } = controllerFor(response, { priority });
  try {
    await scheduler.postTask(() => {
      if (pathname === '/checkout') return checkOut(response);
      return yoga(request, response, { signal });
    }, { signal });
  } catch (error) {
    if (signal.aborted) return;
    console.error(error);
    response.destroy();
  }
}

const server = http.createServer((request, response) => {
  const [pathname] = request.url.split('?');
  // Costs nothing, so it needs no task: a query gives way as soon as the request has come.
  if (pathname === '/health') return response.end('ok\n');
  handle(request, response, pathname);
});
server.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/graphql`);
});

// Queries that have begun are answered. Those of crawlers are aborted.
shutDownOnSignals(server, shutDown);
