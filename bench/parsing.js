'use strict';

// What it takes to parse a body of 10 MB of JSON, in all and at a time: `node bench/parsing.js`
// prints the table of docs/recipes.md. The longest time that the thread was held is that between
// two turns of the loop.

const { Worker } = require('node:worker_threads');
const { parseChunked } = require('@discoveryjs/json-ext');
const { median } = require('simple-statistics');
const { pieces, scheduler } = require('..');

const ROUNDS = 9;
const ROWS = 68_000;
// As large as the chunks of a request are at most.
const CHUNK = 65_536;

const BODY = Buffer.from(JSON.stringify(Array.from({ length: ROWS }, (_, id) => ({
  id,
  name: `Customer ${id}`,
  email: `customer-${id}@example.org`,
  price: id * 1.25,
  isPaid: id % 3 === 0,
  tags: ['new', 'large', 'red'],
  address: { city: 'Vienna', zip: 1000 + (id % 9000) },
}))));

const CHUNKS = Array.from({ length: Math.ceil(BODY.length / CHUNK) }, (_, i) => {
  return BODY.subarray(i * CHUNK, (i + 1) * CHUNK);
});

// Its memory goes to the worker, and the rows come back as a copy.
const WORKER = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (body) => parentPort.postMessage(JSON.parse(Buffer.from(body))));
`;
const worker = new Worker(WORKER, { eval: true });

const WAYS = {
  '`JSON.parse()`': () => JSON.parse(BODY.toString()),
  '`parseChunked(body)`': () => parseChunked(CHUNKS),
  '`parseChunked(pieces(body))`': () => scheduler.postTask(() => parseChunked(pieces(CHUNKS))),
  '`JSON.parse()` in a worker that sends the rows': () => new Promise((resolve) => {
    worker.once('message', resolve);
    const { buffer } = new Uint8Array(BODY);
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

async function measure(parse) {
  const stop = watchTurns();
  await new Promise(setImmediate);
  const start = performance.now();
  const rows = await parse();
  const total = performance.now() - start;
  // The turn in which it was parsed has ended.
  await new Promise((resolve) => setTimeout(resolve, 2));
  if (rows.length !== ROWS) throw new Error(`${rows.length} of ${ROWS} rows were parsed`);
  return { total, held: stop() };
}

async function main() {
  const size = (BODY.length / 1e6).toFixed(1);
  console.log(`Node ${process.version}, ${size} MB, medians of ${ROUNDS}, in ms\n`);
  console.log('| | in all | at a time, at most |\n|---|---|---|');
  for (const [name, parse] of Object.entries(WAYS)) {
    const samples = [];
    for (let round = 0; round <= ROUNDS; round++) samples.push(await measure(parse));
    // The first one is slower.
    const [total, held] = ['total', 'held'].map((key) => {
      return median(samples.slice(1).map((sample) => sample[key])).toFixed(0);
    });
    console.log(`| ${name} | ${total} | ${held} |`);
  }
  await worker.terminate();
}

main();
