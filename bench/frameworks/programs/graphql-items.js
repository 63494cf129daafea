'use strict';

// How graphql-js 16 gets a list item by item.

const { pieces } = require('./variant.js');

// A promise for each item. They are fulfilled one after the other.
function itemsOf(list) {
  const source = pieces(list);
  return list.map(async () => (await source.next()).value);
}

module.exports = { itemsOf };
