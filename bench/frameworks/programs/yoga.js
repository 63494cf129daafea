'use strict';

// GraphQL Yoga. Its executor is not that of graphql-js: it takes asynchronous iterables.

const http = require('node:http');
const { createSchema, createYoga } = require('graphql-yoga');
const { pieces, scheduler, controllerFor } = require('./variant.js');
const { QUERY, SCHEMA, createQuery } = require('./graphql.js');
const { listen } = require('./serve.js');

const yoga = createYoga({
  schema: createSchema({ typeDefs: SCHEMA, resolvers: { Query: createQuery(pieces) } }),
  graphqlEndpoint: '/page',
  logging: false,
});

listen(http.createServer(async (request, response) => {
  if (request.url === '/health') return response.end('ok\n');
  // Visitors of the benchmark send no query.
  if (request.url === '/page') request.url += `?query=${encodeURIComponent(QUERY)}`;
  const { signal } = controllerFor(response);
  try {
    await scheduler.postTask(() => yoga(request, response), { signal });
  } catch (error) {
    if (!signal.aborted) response.destroy(error);
  }
}));
