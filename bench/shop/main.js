'use strict';

// Runs the benchmark: the shop of examples/shop, plain and with the package, at some loads. The
// same visitors come to both.

const fs = require('node:fs');
const http = require('node:http');

const { createArrivals, random } = require('../arrivals');
const {
  createOpenLoop, createRows, findFaults, measureCells, rowsOfRun, summarizeCare,
} = require('../open-loop');
const { sum, summarizeTimes } = require('../statistics');
const { runBenchmark } = require('../run');

const { NAMES } = require('./contenders');
const { readOptionsOrExplain } = require('./options');
const { markdown } = require('./report');

const CONTENDERS = require.resolve('./contenders');

const KINDS = [
  { kind: 'list', share: 0.4, path: () => '' },
  { kind: 'product', share: 0.4, path: (i) => `product/${i % 1000}` },
  { kind: 'cart', share: 0.2, path: () => 'cart' },
];
const SATURATING = { visitors: 16, seconds: 1.5 };
const WAY = { page: '/cart', transport: 'keep-alive' };
const PATIENCE = 5000;
// Visitors of the first seconds are not counted: the server compiles its code then.
const WARM = 3;
// Visitors sent later than this make a run invalid: at the p99, and the latest one, in ms.
const LATE = { lateP99: 10, lateMost: 100 };

function pickKind(number) {
  let rest = number;
  return KINDS.find(({ share }) => (rest -= share) < 0) ?? KINDS.at(-1);
}

const createVisitors = (settings) => createArrivals(settings).map((time, i) => {
  const { kind, path } = pickKind(random(`${settings.seed} kind`, i));
  return { time, kind, name: path(i) };
});

/** Resolves to the visitors per second that the plain shop can serve. */
async function findCapacity({ saturate, startContender }) {
  const server = await startContender({ contender: 'plain' });
  let time = 0;
  for (const { share, path } of KINDS) {
    const settings = { ...SATURATING, path: `/${path(1)}` };
    time += share / await saturate(server, WAY.transport, settings);
  }
  await server.end();
  return 1 / time;
}

/** Resolves to the bytes of the list as a server sends it. */
async function bytesOfList(url, encoding) {
  const headers = { 'accept-encoding': encoding };
  const response = await new Promise((resolve) => http.get(url, { headers }, resolve));
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  return bytes;
}

async function measureBytes({ startContender }, contenders) {
  const bytes = {};
  for (const contender of contenders) {
    const server = await startContender({ contender });
    const { url } = server;
    bytes[contender] = {
      plain: await bytesOfList(url, 'identity'), compressed: await bytesOfList(url, 'gzip'),
    };
    await server.end();
  }
  return bytes;
}

async function measureCell(cell, { run, step }, openLoop, seconds) {
  const capacity = await findCapacity(openLoop);
  const seed = `${run} ${cell.load}`;
  const settings = { perSecond: cell.load * capacity, seconds: WARM + seconds, seed };
  const visitors = createVisitors(settings);
  for (const { contender, runs } of rowsOfRun(cell, { run, step })) {
    const habits = { patience: PATIENCE };
    const result = await openLoop.measureRow({ contender }, visitors, { ...WAY, seed, habits });
    runs.push({ ...result, capacity });
  }
}

function summarizeVisits(visits) {
  const served = visits.filter(({ outcome }) => outcome === 'served');
  const { p50, p99 } = summarizeTimes(served.map(({ ms }) => ms));
  return { served: served.length / visits.length, p50, p99 };
}

function summarizeRow({ name, contender, runs }) {
  const visits = runs.flatMap(({ visitors, results }) =>
    visitors.map((visitor, i) => ({ ...visitor, ...results[i] })));
  const counted = visits.filter(({ time }) => time >= WARM * 1000);
  const served = visits.filter(({ outcome }) => outcome === 'served').length;
  return {
    name, contender, ...summarizeCare(runs),
    kinds: Object.fromEntries(KINDS.map(({ kind }) =>
      [kind, summarizeVisits(counted.filter((visit) => visit.kind === kind))])),
    cpu: sum(runs.map(({ cpu }) => cpu)) / served,
  };
}

async function measure(options, { startChild, createProgress }) {
  const openLoop = createOpenLoop({ startChild, contenders: CONTENDERS });
  const bytes = await measureBytes(openLoop, options.contenders);
  const plan = options.loads.map((load) =>
    ({ load, title: `${load} of the capacity`, rows: createRows(options.contenders, NAMES) }));
  await measureCells(plan, options.runs,
    (cell, round) => measureCell(cell, round, openLoop, options.seconds), createProgress);
  const cells = plan.map(({ title, rows }) => ({ title, rows: rows.map(summarizeRow) }));
  return { bytes, cells, faults: findFaults(cells, openLoop.pinned, LATE) };
}

runBenchmark({
  command: 'bench shop', readOptions: readOptionsOrExplain, measure,
  print: (results) => process.stdout.write(markdown(results)),
  outputs: { markdown: (file, results) => fs.writeFileSync(file, markdown(results)) },
});
