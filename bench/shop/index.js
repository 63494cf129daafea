'use strict';

// `npm run bench shop`: the shop of examples/shop, plain and with the package, at some loads. The
// same visitors come to both.

const http = require('node:http');
const { buffer } = require('node:stream/consumers');
const arrivals = require('../harness/arrivals');
const { createOpenLoop, createRows, summarizeVisits, visitsOf } =
  require('../harness/open-loop');
const { numbers, rounds, seconds } = require('../harness/options');
const { column, fixed, nameColumn, percent } = require('../harness/report');
const { sum } = require('../harness/statistics');
const { NAMES } = require('./contenders');

const KINDS = [
  { name: 'list', share: 0.4, path: () => '' },
  { name: 'product', share: 0.4, path: (i) => `product/${i % 1000}` },
  { name: 'cart', share: 0.2, path: () => 'cart' },
];
const SATURATING = { visitors: 16, seconds: 1.5 };
const WAY = { page: '/cart', transport: 'keep-alive' };
const PATIENCE = 5000;
// Visitors of the first seconds are not counted: the server compiles its code then.
const WARM = 3;

const options = {
  seconds: seconds(15),
  rounds: rounds(3),
  loads: numbers('visitors, as a multiple of what the plain shop can serve', [0.5, 0.9, 1.5],
    { min: 0.1, max: 20 }),
};

const createVisitors = (settings) => arrivals.createVisitors(KINDS, settings)
  .map(({ time, name: kind }, i) =>
    ({ time, kind, name: KINDS.find(({ name }) => name === kind).path(i) }));

// Resolves to the visitors per second that the plain shop can serve.
async function findCapacity({ measureServer, startContender }) {
  const server = await startContender({ contender: 'plain' });
  let time = 0;
  for (const { share, path } of KINDS) {
    const settings = { ...SATURATING, paths: [`/${path(1)}`] };
    time += share / (await measureServer(server, WAY, 'saturate', settings)).perSecond;
  }
  await server.end();
  return 1 / time;
}

// Resolves to the bytes of the list as a server sends it.
async function bytesOfList(url, encoding) {
  const headers = { 'accept-encoding': encoding };
  const response = await new Promise((resolve) => http.get(url, { headers }, resolve));
  return (await buffer(response)).length;
}

async function open(chosen, processes) {
  const openLoop = createOpenLoop(processes, require.resolve('./contenders'));
  const bytes = {};
  for (const contender of Object.keys(NAMES)) {
    const { url, end } = await openLoop.startContender({ contender });
    bytes[contender] = {
      plain: await bytesOfList(url, 'identity'), compressed: await bytesOfList(url, 'gzip'),
    };
    await end();
  }
  return { ...openLoop, facts: { ...openLoop.facts, bytes } };
}

const plan = ({ loads, seconds: measured }) => loads.map((load) => ({
  load, seconds: measured, title: `${load} of the capacity`,
  rows: createRows(Object.keys(NAMES), NAMES),
}));

async function prepare({ load, seconds: measured }, run, openLoop) {
  const perSecond = load * await findCapacity(openLoop);
  const seed = `${run} ${load}`;
  return { seed, visitors: createVisitors({ perSecond, seconds: WARM + measured, seed }) };
}

const measureRow = ({ contender }, cell, { seed, visitors }, openLoop) =>
  openLoop.measureRow({ contender }, visitors, { ...WAY, seed, habits: { patience: PATIENCE } });

function summarizeRow(runs) {
  const visits = visitsOf(runs);
  const counted = visits.filter(({ time }) => time >= WARM * 1000);
  return {
    kinds: Object.fromEntries(KINDS.map(({ name: wanted }) =>
      [wanted, summarizeVisits(counted.filter(({ kind }) => kind === wanted))])),
    cpu: sum(runs.map(({ cpu }) => cpu)) / summarizeVisits(visits).served,
  };
}

const COLUMNS = [
  nameColumn(),
  ...['cart', 'list', 'product'].flatMap((kind) => [
    column(`${kind} served`, `kinds.${kind}.share`, percent),
    column(`${kind} p50`, `kinds.${kind}.p50`, fixed(0)),
    column(`${kind} p99`, `kinds.${kind}.p99`, fixed(0)),
  ]),
  column('CPU', 'cpu'),
];

const bytesLines = (bytes) => Object.entries(bytes).map(([contender, { plain, compressed }]) =>
  `- The list, ${NAMES[contender]}: ${plain} bytes, ${compressed} with gzip\n`).join('');

module.exports = {
  title: 'The shop',
  about: `Visitors arrive at the shop of examples/shop, plain and with the package, and leave
after five seconds: six minutes by default.`,
  options, open, plan, prepare, measureRow, summarizeRow,
  columns: () => COLUMNS,
  introduce: ({ bytes }) => `Visitors arrive at random, as a share of what the plain shop can serve:
two in five ask for the list, two in five for a product, one in five for the cart. They leave after
5 s. Times are in ms, counted from when the visitor should have arrived; CPU is the processor time
of the server in ms for each answer. The index is rebuilt every two seconds.

${bytesLines(bytes)}`,
};
