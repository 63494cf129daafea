// The schema, and the resolvers that give way to other requests.

import { createSchema } from 'graphql-yoga';
import { pieces } from 'uv-scheduler';
import { MONTHS, nameOf, salesOf } from './orders.js';

const typeDefs = `
  type Sale { product: String!, sum: Int! }
  type Month { name: String!, sales: [Sale!]! }
  type Query { months: [Month!]!, month(number: Int!): Month }`;

const never = () => new Promise(() => {});

// GraphQL Yoga takes the list item by item, and resolves the fields of a month before it asks for
// the next one. There the list gives way when somebody else waits, and ends when the client has
// left. The query runs in a task, whose priority and signal count here, too.
async function* months(source, args, { signal }) {
  let count = 0;
  try {
    for await (const number of pieces(Array(MONTHS).keys())) {
      yield { number };
      count += 1;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    console.log(`months: the client left; ${count} of ${MONTHS} months were resolved`);
    await never(); // Otherwise Yoga would answer with a part of the list at a time limit.
  }
}

const Query = {
  months,
  month: (source, { number }) => (number >= 0 && number < MONTHS ? { number } : null),
};

const Month = {
  name: ({ number }) => nameOf(number),
  sales: ({ number }) => salesOf(number),
};

export const schema = createSchema({ typeDefs, resolvers: { Query, Month } });
