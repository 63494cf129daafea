// A large result of a database, in one query and in pages by key, beside an urgent task. It needs
// Node 22.13 or newer for node:sqlite, which stands for your ORM.

import { DatabaseSync } from 'node:sqlite';
import { pieces, scheduler } from 'uv-scheduler';

const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, price REAL)');
const insert = database.prepare('INSERT INTO orders (price) VALUES (?)');
for (let price = 0; price < 5_000; price++) insert.run(price);

let queries = 0;
let rows = 0;
const page = database.prepare('SELECT * FROM orders WHERE id > ? ORDER BY id LIMIT ?');
async function find({ after = 0, limit }) {
  queries++;
  const found = page.all(after, limit);
  rows += found.length;
  return found;
}

// The next page begins behind the last id, and not at an offset, which the database would count.
async function* orders(limit) {
  let after = 0;
  for (;;) {
    const found = await find({ after, limit });
    yield* found;
    if (found.length < limit) return;
    after = found.at(-1).id;
  }
}

async function sumUp(limit, signal) {
  let sum = 0;
  for await (const { price } of pieces(orders(limit), { signal })) sum += price;
  return sum;
}

// To try it: the queries, and the rows that are loaded when an urgent task starts that was posted
// before the first of them.
for (const limit of [1e9, 500]) {
  queries = rows = 0;
  let urgent;
  const sum = await scheduler.postTask(() => {
    urgent = scheduler.postTask(() => rows, { priority: 'user-blocking' });
    return sumUp(limit);
  });
  console.log(sum, queries, await urgent);
}
// prints: 12497500 1 5000
// prints: 12497500 11 500
