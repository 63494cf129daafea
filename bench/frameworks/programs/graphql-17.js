'use strict';

// graphql-js 17: a query for a long list.

const { buildSchema, graphql } = require('graphql-17');
const { isPlain, pieces, scheduler, controllerFor } = require('./variant.js');
const { createOrders } = require('./orders.js');
const { QUERY, SCHEMA } = require('./graphql-schema.js');
const { serve } = require('./serve.js');

const orders = createOrders(3500);

const schema = buildSchema(SCHEMA);
const rootValue = { orders: () => (isPlain ? orders : pieces(orders)), health: () => 'ok' };

async function send(response) {
  const { signal } = controllerFor(response);
  const execute = () => graphql({ schema, rootValue, source: QUERY });
  const result = await scheduler.postTask(execute, { signal });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(result));
}

serve(send);
