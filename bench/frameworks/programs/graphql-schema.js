'use strict';

// The schema of both GraphQL programs.

module.exports = {
  SCHEMA: `
    type Customer { name: String!, city: String! }
    type Order {
      id: ID!, customer: Customer!, product: String!, price: Float!, isPaid: Boolean!,
      tags: [String!]!
    }
    type Query { orders: [Order!]!, health: String! }`,
  QUERY: '{ orders { id customer { name city } product price isPaid tags } }',
};
