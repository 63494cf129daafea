// Rows of SQLite that two requests read at once: with a cursor, which stays open between two
// pieces, and in pages by key. Needs Node 24 or newer; Node 22.13 repeats a row where these throw.

import { DatabaseSync } from 'node:sqlite';
import { pieces, scheduler } from 'uv-scheduler';

const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, price REAL)');
const insert = database.prepare('INSERT INTO orders (price) VALUES (?)');
for (let price = 0; price < 5_000; price++) insert.run(price);

const all = database.prepare('SELECT * FROM orders');
const page = database.prepare('SELECT * FROM orders WHERE id > ? ORDER BY id LIMIT 500');

// A query ends before its first row is handed on, so others may use the connection in between.
function* orders() {
  for (let after = 0, found; (found = page.all(after)).length > 0; after = found.at(-1).id) {
    yield* found;
  }
}

async function count(rows, signal) {
  let counted = 0;
  for await (const { id } of pieces(rows, { signal })) if (id > 0) counted++;
  return counted;
}

// To try it: an urgent request that comes while another is at its first row.
for (const read of [() => all.iterate(), orders]) {
  let urgent;
  const first = scheduler.postTask(() => {
    urgent = scheduler.postTask(() => count(read()), { priority: 'user-blocking' });
    return count(read());
  });
  console.log(await first.catch(({ code }) => code), await urgent);
}
// prints: ERR_INVALID_STATE 5000
// prints: 5000 5000
