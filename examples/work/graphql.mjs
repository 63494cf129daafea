// DataLoader collects the loads until the thread has no microtask left. Each pause of a list in
// pieces ends a batch. So the resolver of the list loads for all items first.

import DataLoader from 'dataloader';
import {
  GraphQLList, GraphQLObjectType, GraphQLSchema, GraphQLString, execute, parse,
} from 'graphql';
import { pieces } from 'uv-scheduler';

const orders = Array.from({ length: 20 }, (_, id) => ({ id, customer: `customer ${id}` }));

const Order = new GraphQLObjectType({
  name: 'Order',
  fields: {
    customer: {
      type: GraphQLString,
      resolve({ customer }, _, { loader }) {
        for (const end = performance.now() + 1; performance.now() < end;); // Other fields.
        return loader.load(customer);
      },
    },
  },
});

const resolvers = {
  array: () => orders,
  pieces: () => pieces(orders),
  async loaded(_, __, { loader }) {
    await loader.loadMany(orders.map(({ customer }) => customer));
    return pieces(orders);
  },
};

const fields = Object.fromEntries(Object.entries(resolvers)
  .map(([name, resolve]) => [name, { type: new GraphQLList(Order), resolve }]));
const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });

// To try it: the batches of each.
for (const name of Object.keys(resolvers)) {
  let batches = 0;
  const loader = new DataLoader(async (names) => {
    batches++;
    return names;
  });
  const document = parse(`{ ${name} { customer } }`);
  const { data, errors } = await execute({ schema, document, contextValue: { loader } });
  if (errors) throw errors[0];
  console.log(name, data[name].length, batches > 1 ? 'several' : batches);
}
// prints: array 20 1
// prints: pieces 20 several
// prints: loaded 20 1
