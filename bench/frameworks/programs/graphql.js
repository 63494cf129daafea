'use strict';

// The schema of the GraphQL programs, and the server of those with graphql-js.

const { isPlain } = require('./variant.js');
const { createOrders } = require('./orders.js');
const { serveRendered } = require('./serve.js');

const SCHEMA = `
  type Customer { name: String!, city: String! }
  type Order {
    id: ID!, customer: Customer!, product: String!, price: Float!, isPaid: Boolean!,
    tags: [String!]!
  }
  type Query { orders: [Order!]!, health: String! }`;
const QUERY = '{ orders { id customer { name city } product price isPaid tags } }';

// Returns the fields of a query for a long list, of which `itemsOf(list)` gives one item at a time.
function createQuery(itemsOf) {
  const orders = createOrders(3500);
  return { orders: () => (isPlain ? orders : itemsOf(orders)), health: () => 'ok' };
}

// Serves what a version of graphql-js makes of it.
function serveQuery({ buildSchema, graphql }, itemsOf) {
  const schema = buildSchema(SCHEMA);
  const rootValue = createQuery(itemsOf);
  serveRendered(() => graphql({ schema, rootValue, source: QUERY }), JSON.stringify,
    'application/json');
}

module.exports = { QUERY, SCHEMA, createQuery, serveQuery };
