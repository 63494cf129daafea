'use strict';

// `npm run bench guard`: what uv-scheduler/guard does to a server that knows nothing of it: below
// the capacity, and where one route alone has more work than time; and what it costs.

const path = require('node:path');
const { createVisitors } = require('../harness/arrivals');
const { createOpenLoop, summarizeCare, summarizeVisits, visitsOf } =
  require('../harness/open-loop');
const { choices, numbers, rounds, seconds } = require('../harness/options');
const { atLeast, atMost, column, fixed, nameColumn, percent } = require('../harness/report');
const { sum } = require('../harness/statistics');
const { EMPTY, ROUTES } = require('./contenders');

const [PLAIN, OBSERVE, ENFORCE] = ['plain', 'observe', 'enforce'];
const MODES = { [PLAIN]: undefined, [OBSERVE]: 'observe', [ENFORCE]: 'enforce' };

// The visitors of the other routes, each second.
const OTHERS = { post: 40, list: 25, health: 5 };
const COSTLY = 'home';

const PATIENCE = 2000;

const CALM = 0.8;

// The measurement of the capacity, and of the processor time of a request.
const SATURATING = { paths: [`/${COSTLY}`], visitors: 16, seconds: 2 };
const TRIVIAL = { paths: [EMPTY], visitors: 16, seconds: 3 };
const WARM_UP = { paths: [EMPTY], visitors: 16, seconds: 2 };

const options = {
  seconds: seconds(10),
  rounds: rounds(3),
  parts: choices('only these parts of', ['load', 'cost']),
  loads: numbers('visitors, as a multiple of what the server can serve', [CALM, 2],
    { min: 0.1, max: 20 }),
};

const createRows = () => Object.keys(MODES).map((name) => ({ name, runs: [] }));

const plan = ({ seconds: length, loads, parts }) => [
  ...loads.map((load) => ({
    part: 'load', load, seconds: length, title: `${load} times the capacity`, rows: createRows(),
  })),
  { part: 'cost', title: 'a request without work', rows: createRows() },
].filter(({ part }) => parts.includes(part));

// The visitors of a second, by name, at a load.
function visitorsOf(load, perSecond) {
  const others = sum(Object.entries(OTHERS).map(([name, each]) => each * ROUTES[name])) / 1000;
  // Above the capacity one route alone has that much work.
  const costly = (load < 1 ? load - others : load) * perSecond;
  const all = { [COSTLY]: costly, ...OTHERS };
  const total = sum(Object.values(all));
  const kinds = Object.entries(all).map(([name, each]) => ({ name, share: each / total }));
  return { kinds, total };
}

const WAY = { page: EMPTY, transport: 'new', warmUp: WARM_UP };

async function prepare({ part, load, seconds: length }, run, openLoop) {
  if (part === 'cost') return undefined;
  const { perSecond } = await openLoop.measure({}, WAY, 'saturate', SATURATING);
  const { kinds, total } = visitorsOf(load, perSecond);
  const seed = `${run} ${load}`;
  return { seed, visitors: createVisitors(kinds, { perSecond: total, seconds: length, seed }) };
}

async function measureRow({ name }, { part }, shared, openLoop) {
  const server = { mode: MODES[name] };
  if (part === 'cost') {
    const settings = { ...WAY, transport: 'keep-alive' };
    const { cpu, pages } = await openLoop.measure(server, settings, 'saturate', TRIVIAL);
    return { each: cpu / pages.length * 1000 };
  }
  const { seed, visitors } = shared;
  return openLoop.measureRow(server, visitors, { seed, ...WAY, habits: { patience: PATIENCE } });
}

function summarizeRow({ runs, ...row }, { part }) {
  if (part === 'cost') return { ...row, each: Math.min(...runs.map(({ each }) => each)) };
  const visits = visitsOf(runs);
  const others = visits.filter(({ name }) => ['post', 'list'].includes(name));
  const served = visits.filter(({ outcome }) => outcome === 'served');
  return {
    ...row, ...summarizeCare(runs),
    others: summarizeVisits(others),
    health: summarizeVisits(visits.filter(({ name }) => name === 'health')),
    costly: summarizeVisits(visits.filter(({ name }) => name === COSTLY)),
    all: summarizeVisits(visits),
    refused: visits.filter(({ outcome }) => outcome === 'refused').length,
    // The work of the pages whose visitors were still there, in ms.
    work: sum(served.map(({ name }) => ROUTES[name])),
  };
}

function summarize(cell) {
  const rows = cell.rows.map((row) => summarizeRow(row, cell));
  const [plain] = rows;
  return {
    ...cell,
    rows: rows.map((row) => ({
      ...row, goodput: row.work / plain.work, more: row.each - plain.each,
    })),
  };
}

function judgeCell({ part, title, load, rows }) {
  const [plain, observe, enforce] = rows;
  if (part === 'cost') {
    return [[observe, 15], [enforce, 40]].map(([{ name, more }, most]) =>
      atMost(title, `${name} takes at most ${most} µs of processor time`, more, most));
  }
  if (load > 1) {
    return [
      atLeast(title, 'other routes are served', enforce.others.share, 0.97, percent),
      atLeast(title, 'all of /health is served', enforce.health.share, 1, percent),
      atLeast(title, 'goodput at least 0.9 of plain', enforce.goodput, 0.9),
    ];
  }
  return [
    atMost(title, 'nothing is refused', enforce.refused, 0),
    ...['p50', 'p99'].map((figure) => atMost(title, `${figure} at most 1.1 × that of plain`,
      enforce.all[figure], 1.1 * plain.all[figure])),
  ];
}

const judge = (cells) => cells.flatMap(judgeCell);

const whole = fixed(0);

const LOAD_COLUMNS = [
  nameColumn(),
  column('other routes', 'others.share', percent),
  column('p50', 'others.p50', whole),
  column('p99', 'others.p99', whole),
  column('/health', 'health.share', percent),
  column('p99', 'health.p99', whole),
  column('costly', 'costly.share', percent),
  column('all p50', 'all.p50', whole),
  column('all p99', 'all.p99', whole),
  column('refused', 'refused', whole),
  column('goodput', 'goodput', fixed(2)),
];

const COST_COLUMNS = [
  nameColumn(),
  column('µs each', 'each', fixed(1)),
  column('more than plain', 'more', fixed(1)),
];

module.exports = {
  title: 'A server that nobody changes',
  about: `Visitors arrive at a server of Express without and with a guard: five minutes by
default.`,
  options, plan, prepare, measureRow, summarize, judge,
  columns: ({ part }) => (part === 'cost' ? COST_COLUMNS : LOAD_COLUMNS),
  COLUMNS: [...LOAD_COLUMNS, ...COST_COLUMNS.slice(1)],
  open: (chosen, processes) =>
    createOpenLoop(processes, path.join(__dirname, 'contenders.js')),
  introduce: () => `A server of Express has one route that takes ${ROUTES[COSTLY]} ms of the thread
behind an await, two that take ${ROUTES.post} and ${ROUTES.list} ms, and \`/health\`. Visitors
arrive at random by new connections, whether or not the server has time, and leave after
${PATIENCE} ms. Above the capacity the costly route alone has that much work. Times are in ms, from
when the visitor should have arrived.

- *goodput*: the work of the pages whose visitors were still there, compared with plain.
- *µs each*: the processor time of a request without work.
`,
};
