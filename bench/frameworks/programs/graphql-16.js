'use strict';

// graphql-js 16: a query for a long list. It takes no asynchronous iterables.

const graphql = require('graphql');
const { serveQuery } = require('./graphql.js');
const { createTurns } = require('./turns.js');

// The number of items that a turn gives: less than a millisecond of work.
const ITEMS = 50;

// A promise for each item.
function itemsOf(list) {
  const turns = createTurns(Array(Math.ceil(list.length / ITEMS)));
  let turn;
  return list.map(async (item, index) => {
    if (index % ITEMS === 0) turn = turns.next();
    await turn;
    return item;
  });
}

serveQuery(graphql, itemsOf);
