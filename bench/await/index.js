'use strict';

// `npm run bench await`: more visitors than a server can serve whose work stands behind an `await`.
// A cell is a kind of work, a kind of connection and a load; its rows are plain Node, an admission,
// and admissions with fixed numbers of requests that may run.

const path = require('node:path');
const { createVisitors } = require('../harness/arrivals');
const { createOpenLoop, visitsOf } = require('../harness/open-loop');
const { choices, file, numbers, rounds, seconds, warm } = require('../harness/options');
const { atLeast, atMost, column, fixed, ms, nameColumn, percent } = require('../harness/report');
const { sum } = require('../harness/statistics');
const { summarizeClasses } = require('../overload/figures');
const { EMPTY, SERVERS, WORKS } = require('./contenders');

const ROOT = path.join(__dirname, '../..');
const OURS = 'createAdmission()';
const BEFORE = 'createAdmission(), before';

// The visitors, in the order of their importance. The shares add up to 1.
const CLASSES = [
  { name: 'checkout', share: 0.1 },
  { name: 'page', share: 0.7 },
  { name: 'crawler', share: 0.2 },
];

// The patience of a visitor, in ms.
const PATIENCE = 1000;

const PAGE = '/page';

// The measurement of the capacity: so many visitors who ask again at once, for so many seconds.
// Thirty keep the thread busy while each waits for a query.
const SATURATING = { paths: [PAGE], visitors: 32, seconds: 1.5 };

// So many visitors ask for a page without a query and work, before the capacity and each row are
// measured.
const WARM_UP = { paths: [EMPTY], visitors: 32, seconds: 4 };

const CONNECTIONS = { 'keep-alive': 'kept connections', 'new': 'new connections' };

const options = {
  seconds: seconds(6),
  warm: warm(2),
  rounds: rounds(1),
  works: choices('only these kinds of work of', Object.keys(WORKS)),
  connections: choices('only these of', Object.keys(CONNECTIONS)),
  servers: choices('only these servers of', Object.keys(SERVERS)),
  loads: numbers('visitors, as a multiple of what plain Node can serve', [0.5, 0.8, 1.2, 2, 4],
    { min: 0.1, max: 20 }),
  fixed: numbers('the fixed numbers of requests that may run', [1, 2, 4, 8, 16, 32],
    { min: 1, max: 1000, isInteger: true }),
  before: file('add a row of the package in the folder FILE'),
};

const WAY = { page: PAGE, warmUp: WARM_UP };

const PLAIN = { name: 'plain Node', root: ROOT, isAdmission: false };

const rowsOf = ({ fixed: all, before }) => [
  PLAIN,
  { name: OURS, root: ROOT, isAdmission: true },
  ...before ? [{ name: BEFORE, root: path.resolve(before), isAdmission: true }] : [],
  ...all.map((maxRunning) =>
    ({ name: `maxRunning ${maxRunning}`, root: ROOT, isAdmission: true, maxRunning })),
].map((row) => ({ ...row, runs: [] }));

const plan = (chosen) => chosen.servers.flatMap((server) => chosen.works.flatMap((work) =>
  chosen.connections.flatMap((transport) => chosen.loads.map((load) => ({
    server, work, transport, load, warm: chosen.warm, seconds: chosen.seconds,
    title: `${SERVERS[server].title}, ${WORKS[work].title}, ${CONNECTIONS[transport]}, `
      + `${load} times the capacity`,
    rows: rowsOf(chosen),
  })))));

const contenderOf = ({ server, work }, { root, isAdmission, maxRunning }) =>
  ({ server, work, root, isAdmission, maxRunning });

async function prepare(cell, run, openLoop) {
  const { work, transport, load, warm: before, seconds: length } = cell;
  const { perSecond: capacity } = await openLoop.measure(contenderOf(cell, PLAIN),
    { ...WAY, transport }, 'saturate', SATURATING);
  const seed = `${run} ${work} ${load}`;
  const settings = { perSecond: load * capacity, seconds: before + length, seed };
  return { capacity, seed, visitors: createVisitors(CLASSES, settings) };
}

async function measureRow(row, cell, { capacity, seed, visitors }, openLoop) {
  const way = { ...WAY, transport: cell.transport, seed, habits: { patience: PATIENCE } };
  return { ...await openLoop.measureRow(contenderOf(cell, row), visitors, way), capacity };
}

function summarizeRow(runs, { warm: before, seconds: length }) {
  const visits = visitsOf(runs);
  const served = visits.filter(({ outcome }) => outcome === 'served').length;
  const classes = summarizeClasses(visits.filter(({ time }) => time >= before * 1000));
  return {
    ...classes,
    wanted: served / sum(runs.map(({ rendered }) => rendered)),
    goodput: classes.all.served / (length * sum(runs.map(({ capacity }) => capacity))),
  };
}

function judgeCell({ title, work, load, rows }, calm) {
  const find = (wanted) => rows.find(({ name }) => name === wanted);
  const [ours, plain] = [find(OURS), find(PLAIN.name)];
  if (work === 'pool') {
    return [atMost(title, 'mean at most 1.05 × that of plain Node', ours.all.mean,
      1.05 * plain.all.mean, ms)];
  }
  if (load < 1) {
    return [
      ...[['p50', 1.05], ['p99', 1.15]].map(([figure, times]) =>
        atMost(title, `${figure} at most ${times} × that of plain Node`, ours.all[figure],
          times * plain.all[figure], ms)),
      atMost(title, 'at most one in a thousand is refused', ours.all.refused / ours.all.sent, 0.001,
        percent),
    ];
  }
  const best = Math.max(0, ...rows.filter(({ maxRunning }) => maxRunning > 0)
    .map(({ goodput }) => goodput));
  const usual = calm?.rows.find(({ name }) => name === OURS).checkout.p99 ?? null;
  return [
    atLeast(title, 'at least 95 % of the rendered pages are wanted', ours.wanted, 0.95, percent),
    atLeast(title, 'goodput at least 0.9 of the best fixed bound', ours.goodput, 0.9 * best),
    atLeast(title, 'at least 99 % of checkouts are served', ours.checkout.share, 0.99, percent),
    atMost(title, 'p99 of checkouts at most 1.3 × that at 0.5', ours.checkout.p99 ?? Infinity,
      usual === null ? null : 1.3 * usual, ms),
  ];
}

const judge = (cells) => cells.flatMap((cell) => judgeCell(cell, cells.find((each) =>
  each.server === cell.server && each.work === cell.work
  && each.transport === cell.transport && each.load === 0.5)));

const whole = fixed(0);

const COLUMNS = [
  nameColumn(),
  column('checkout', 'checkout.share', percent),
  column('p99', 'checkout.p99', whole),
  column('pages', 'page.share', percent),
  column('p50', 'page.p50', whole),
  column('p99', 'page.p99', whole),
  column('crawlers', 'crawler.share', percent),
  column('refused', 'all.refused', whole),
  column('left', 'all.left', whole),
  column('wanted', 'wanted', percent),
  column('goodput', 'goodput', fixed(2)),
];

module.exports = {
  title: 'Work behind an await',
  about: `Visitors arrive at a server whose work stands behind the await of a query: six hours by
default.`,
  options, plan, prepare, measureRow, summarizeRow, judge,
  columns: () => COLUMNS,
  open: (chosen, processes) => createOpenLoop(processes, require.resolve('./contenders')),
  introduce: () => `Visitors arrive at random, whether or not the server has time, and leave after
${PATIENCE} ms: one in ten wants to check out, one in five is a crawler, the others want pages.
Server and visitors have a processor each. Times are in ms, from when the visitor should have
arrived.

- *wanted*: the share of the rendered pages whose visitors were still there.
- *goodput*: the pages for these, as a share of the capacity, which is what plain Node serves to
  32 visitors who ask again at once.
`,
};
