'use strict';

// `npm run bench beside`: work of the scheduler beside callbacks that are no tasks. A cell is a
// page beside one kind of callbacks, or turns of agents beside a recurring callback, or a server of
// which one route is adopted, under a load. The rows are ways to give way to the others. `--before`
// adds the rows of another copy of the package.

const path = require('node:path');
const { median } = require('simple-statistics');
const { createVisitors } = require('../harness/arrivals');
const {
  createOpenLoop, createRows, summarizeCare, summarizeVisits, visitsOf,
} = require('../harness/open-loop');
const { choices, file, numbers, rounds, seconds, warm } = require('../harness/options');
const { atLeast, atMost, column, fixed, ms, nameColumn, percent } = require('../harness/report');
const { sum, summarizeTimes } = require('../harness/statistics');
const { NAMES, PAGE_MS, PLAIN_MS, SPAN } = require('./contenders');
const { PAGES, TURNS } = require('./others');

const ROOT = path.join(__dirname, '../..');
const OTHERS = require.resolve('./others');
const PARTS = ['pages', 'turns', 'server'];

const SLICES = 'setImmediate, each 5 ms';
const [STAGES] = TURNS;

// By load: the parts of the thread's time that the plain requests and the pages ask for.
const SHARES = {
  0.5: [0.3, 0.2], 0.7: [0.4, 0.3], 0.85: [0.6, 0.25], 1.1: [0.7, 0.4],
};

// A class is judged over windows of this length in an overload, in ms.
const WINDOW = 2000;

// A timer callback of this length recurs beside agents, in ms.
const RECURRING_MS = 20;

const options = {
  only: choices('only these parts of', PARTS),
  rounds: rounds(3),
  seconds: seconds(30),
  warm: warm(2),
  lengths: numbers('callbacks of so many ms', [1, 5, 20], { min: 0.1, max: 1000 }),
  loads: numbers('loads of the server', Object.keys(SHARES).map(Number), { min: 0.5, max: 1.1 }),
  before: file('add rows of the package in the folder FILE'),
};

const isOurs = (name) => !/setImmediate|in one go|await/.test(name);

// The rows of this package, and of the one before.
const rowsOf = (names, before) => names.flatMap((name) => [
  { name, root: ROOT, runs: [] },
  ...before && isOurs(name)
    ? [{ name: `${name}, before`, root: before, runs: [], of: name }]
    : [],
]);

const planPages = ({ lengths, before }) =>
  ['I/O', 'timers', 'immediates', 'MessagePort'].flatMap((source) => lengths.map((length) => ({
    part: 'pages', title: `a page of 100 ms beside ${source} of ${length} ms`,
    settings: { source, length }, rows: rowsOf(PAGES, before),
  })));

const planTurns = ({ before }) => [4, 16].map((turns) => ({
  part: 'turns',
  title: `${turns} turns of nine stages of 0.25 ms beside a recurring callback of 20 ms`,
  settings: { source: 'a recurring timer', length: RECURRING_MS, turns },
  rows: rowsOf(TURNS, before),
}));

const planServer = ({ loads, seconds: measured, warm: first, before }) => loads.map((load) => ({
  part: 'server', load, title: `a server at ${load} of its capacity`,
  seconds: first + measured, from: first * 1000,
  rows: [
    ...createRows(Object.keys(NAMES), NAMES).map((row) => ({ ...row, root: ROOT })),
    ...before ? [{
      name: `${NAMES.pieces}, before`, of: NAMES.pieces,
      contender: 'pieces', root: before, runs: [],
    }] : [],
  ],
}));

const PLANS = { pages: planPages, turns: planTurns, server: planServer };

// The path of the package before, as its processes need it.
const resolved = (chosen) =>
  ({ ...chosen, before: chosen.before && path.resolve(chosen.before) });

const plan = (chosen) => chosen.only.flatMap((part) => PLANS[part](resolved(chosen)));

const open = (chosen, processes) => ({
  ...createOpenLoop(processes, require.resolve('./contenders')), processes,
});

function visitorsOf({ load, seconds: length }, run) {
  const [plain, page] = SHARES[load];
  const [plains, pages] = [plain / PLAIN_MS * 1000, page / PAGE_MS * 1000];
  const kinds = [
    { name: 'plain', share: plains / (plains + pages) },
    { name: 'page', share: pages / (plains + pages) },
  ];
  return createVisitors(kinds, {
    perSecond: plains + pages, seconds: length, seed: `${run} ${load}`,
  });
}

const prepare = (cell, run) => (cell.part === 'server' ? visitorsOf(cell, run) : undefined);

async function measureRow(row, { part, settings }, visitors, { processes, ...openLoop }) {
  const { contender, name, of = name, root } = row;
  if (part === 'server') {
    return openLoop.measureRow({ contender, root }, visitors,
      { page: '/health', habits: { checks: true } });
  }
  const child = processes.start(OTHERS, { args: [root] });
  const result = await child.ask('measure', { ...settings, row: of });
  await child.end();
  return result;
}

// Of all windows of the measurement, the least part of its share of the thread that a class got.
// The shares of the classes are as what they ask for.
function leastShare(runs, { load, seconds: length, from }, kind) {
  const [plain, page] = SHARES[load];
  const asked = kind === 'page' ? page : plain;
  const share = Math.min(asked, asked / (plain + page));
  const parts = runs.flatMap(({ work }) => {
    const spans = Array.from({ length: length * 1000 / SPAN }, (_, i) => work[kind][i] ?? 0)
      .slice(from / SPAN);
    const windows = spans.slice(WINDOW / SPAN - 1)
      .map((_, first) => sum(spans.slice(first, first + WINDOW / SPAN)));
    return windows.map((time) => time / WINDOW / share);
  });
  return Math.min(...parts);
}

function summarizeServer({ rows, ...cell }) {
  const summarizeRow = ({ runs, ...row }) => {
    const visits = visitsOf(runs).filter(({ time }) => time >= cell.from);
    const of = (kind) => ({
      ...summarizeVisits(visits.filter(({ name }) => name === kind)),
      least: leastShare(runs, cell, kind),
    });
    return {
      ...row, ...summarizeCare(runs),
      plain: of('plain'), page: of('page'),
      health: summarizeTimes(runs.flatMap(({ health }) => health)),
    };
  };
  return { ...cell, rows: rows.map(summarizeRow) };
}

function summarize(cell) {
  if (cell.part === 'server') return summarizeServer(cell);
  const rows = cell.rows.map((row) => ({ ...row, median: median(row.runs) }));
  const base = rows.find(({ name }) => name === SLICES || name === STAGES);
  const care = { lateP99: 0, lateMost: 0, waiting: null, failed: 0 };
  return {
    ...cell, rows: rows.map((row) => ({ ...row, ...care, ratio: row.median / base.median })),
  };
}

const isUrgent = (name) => name.endsWith('user-blocking');

function judgePages({ title, settings, rows }) {
  const most = { visible: 1.5, urgent: 0.75 };
  return rows.filter(({ name, of }) => of === undefined && isOurs(name)).flatMap((row) => {
    if (!isUrgent(row.name)) {
      return [atMost(title, `${row.name}: at most ${most.visible} × ${SLICES}`, row.ratio,
        most.visible)];
    }
    if (settings.length < RECURRING_MS) return [];
    return [atMost(title, `${row.name}: at most ${most.urgent} × ${SLICES}`, row.ratio,
      most.urgent)];
  });
}

function judgeTurns({ title, settings, rows }) {
  if (settings.turns < 16) return [];
  const limits = { 'yield(), user-visible': 1.2, 'yield(), user-blocking': 0.55 };
  return Object.entries(limits).map(([name, limit]) =>
    atMost(title, `${name}: at most ${limit} × ${STAGES}`,
      rows.find((row) => row.name === name).ratio, limit));
}

// At most so many times the figures before, by load.
const LIMITS = {
  0.5: [['health.p99', 1.1], ['plain.p99', 1.1]],
  0.7: [['health.p99', 1.1], ['plain.p99', 1.1]],
  0.85: [['health.p99', 1.5], ['plain.p99', 1.5], ['page.p50', 1], ['page.p99', 1]],
};

function judgeServer({ title, load, rows }) {
  const ours = rows.find(({ name }) => name === NAMES.pieces);
  const before = rows.find(({ of }) => of === NAMES.pieces);
  if (load > 1) {
    return ['plain', 'page'].map((kind) =>
      atLeast(title, `${kind}: at least half of its share in any ${WINDOW} ms`, ours[kind].least,
        0.5));
  }
  if (before === undefined) return [];
  const at = (row, key) => key.split('.').reduce((value, part) => value[part], row);
  return LIMITS[load].map(([key, times]) =>
    atMost(title, `${key} at most ${times} × that before`, at(ours, key), times * at(before, key),
      ms));
}

const JUDGES = { pages: judgePages, turns: judgeTurns, server: judgeServer };

const SERVER_COLUMNS = ['plain', 'page', 'health'].flatMap((kind) =>
  ['p50', 'p90', 'p99'].map((figure, i) =>
    column(i === 0 ? `${kind}\n${figure}` : figure, `${kind}.${figure}`)));

const columns = ({ part, load }) => (part === 'server'
  ? [
    nameColumn(), ...SERVER_COLUMNS,
    ...load > 1 ? ['plain', 'page'].map((kind) =>
      column(`${kind}, least\nof its share`, `${kind}.least`, percent)) : [],
  ]
  : [nameColumn(), column('ms', 'median', fixed(0)), column('ratio', 'ratio', fixed(2))]);

module.exports = {
  title: 'Beside everything else',
  about: `Work of the scheduler beside callbacks that are no tasks: a page, turns of agents, and a
server of which one route is adopted.`,
  options, open, plan, prepare, measureRow, summarize, columns,
  judge: (cells) => cells.flatMap((cell) => JUDGES[cell.part](cell)),
  introduce: () => `Times are in ms. The callbacks beside a page are armed again as soon as each has
returned, so something is ready or due at any time; ratios are to \`${SLICES}\` or to
\`${STAGES}\`, medians. On the server, \`/plain\` computes ${PLAIN_MS} ms in the callback
of a timer, which is no task, and \`/page\` ${PAGE_MS} ms in pieces of 0.1 ms; a health check goes
out every 5 ms; visitors arrive at random, the same ones for all rows of a table. Server and
visitors have a processor each.
`,
};
