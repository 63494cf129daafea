'use strict';

// How graphql-js 16 gets a list item by item.

const { pieces } = require('./variant.js');

// How many items a turn gives: less than a millisecond of work.
const ITEMS = 50;

// A promise for each item.
function itemsOf(list) {
  const turns = pieces(Array(Math.ceil(list.length / ITEMS)));
  let turn;
  return list.map(async (item, index) => {
    if (index % ITEMS === 0) turn = turns.next();
    await turn;
    return item;
  });
}

module.exports = { itemsOf };
