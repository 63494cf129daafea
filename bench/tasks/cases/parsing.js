'use strict';

// Measures what it takes to parse a body of 10 MB of JSON, in all and at a time. The longest time
// that the thread was blocked is that between two turns of the loop.

const { Worker } = require('node:worker_threads');
const { parseChunked } = require('@discoveryjs/json-ext');
const { pieces, scheduler } = require('../../..');

const COUNT = 68_000;
// As large as the chunks of a request are at most.
const CHUNK = 65_536;

function createBody() {
  const body = Buffer.from(JSON.stringify(Array.from({ length: COUNT }, (_, id) => ({
    id,
    name: `Customer ${id}`,
    email: `customer-${id}@example.org`,
    price: id * 1.25,
    isPaid: id % 3 === 0,
    tags: ['new', 'large', 'red'],
    address: { city: 'Vienna', zip: 1000 + (id % 9000) },
  }))));
  const chunks = Array.from({ length: Math.ceil(body.length / CHUNK) }, (_, i) =>
    body.subarray(i * CHUNK, (i + 1) * CHUNK));
  return { body, chunks };
}

// Its memory goes to the worker, and the rows come back as a copy.
const WORKER = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (body) => parentPort.postMessage(JSON.parse(Buffer.from(body))));
`;

let worker = null;

const ROWS = {
  'JSON.parse()': ({ body }) => JSON.parse(body.toString()),
  'parseChunked(body), of chunks that are there': ({ chunks }) => parseChunked(chunks),
  'parseChunked(pieces(body))': ({ chunks }) =>
    scheduler.postTask(() => parseChunked(pieces(chunks))),
  'JSON.parse() in a worker that sends the rows': ({ body }) => new Promise((resolve) => {
    worker ??= new Worker(WORKER, { eval: true });
    worker.once('message', resolve);
    const { buffer } = new Uint8Array(body);
    worker.postMessage(buffer, [buffer]);
  }),
};

// Returns a function that stops, and returns the longest time between two turns so far.
function watchTurns() {
  let last = performance.now();
  let longest = 0;
  let immediate = setImmediate(function turn() {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    immediate = setImmediate(turn);
  });
  return () => {
    clearImmediate(immediate);
    return longest;
  };
}

let made;

async function measure(row) {
  made ??= createBody();
  const stop = watchTurns();
  await new Promise(setImmediate);
  const start = performance.now();
  const rows = await ROWS[row](made);
  const value = performance.now() - start;
  // The turn in which it was parsed has ended.
  await new Promise((resolve) => setTimeout(resolve, 2));
  const blocked = stop();
  if (rows.length !== COUNT) throw new Error(`${rows.length} of ${COUNT} rows were parsed`);
  return { value, details: { 'at a time, at most': blocked } };
}

function parsingCases() {
  return [{
    name: 'parsing',
    title: 'a body of 11.7 MB of JSON',
    unit: 'ms',
    details: { 'at a time, at most': 'ms' },
    rows: Object.keys(ROWS),
    isLong: true,
    maxRounds: Infinity,
    measure,
  }];
}

module.exports = { parsingCases };
