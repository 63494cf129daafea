'use strict';

// `npm run bench idle`: background work beside requests, in a control group with a CPU quota, and
// on a processor that has other work. The contenders of a cell run at the same time but work one
// after the other, in rounds: what a machine does meanwhile meets all of them.

const { median } = require('simple-statistics');
const { available } = require('./control-group');
const { createRows } = require('../harness/open-loop');
const { choices, flag, numbers, rounds, seconds } = require('../harness/options');
const { atLeast, atMost, column, fixed, nameColumn, or } = require('../harness/report');
const { sum, summarizeTimes } = require('../harness/statistics');
const { NAMES } = require('./contenders');
const { createTeams } = require('./teams');
const { PAGE_MS, PIECE_MS } = require('./work');

// A team works for so many seconds before it is measured.
const SETTLE = 3;

// Quotas of the parts beside the grid, in processors, and their requests as a share of them.
const HALF = 0.5;
const LITTLE = 0.05;
const LOAD = 0.3;
const NEIGHBOUR_LOADS = [20, 60];

// A scheduler has to find out about the other processes of its group within so many seconds.
const SHARING = 10;

const whole = (share) => `${Math.round(share * 100)} %`;

// The goals of a row, compared with the row without background work.
const prompt = (row) => [['p99 at most 1.25 ×', atMost, row.ratioP99, 1.25]];
const polite = (row, none) => [
  ...prompt(row),
  ['p90 at most 1.1 ×', atMost, row.ratioP90, 1.1],
  ['work at least 0.7', atLeast, row.work, 0.7],
  ['at most 0.05 more of the periods throttled', atMost, row.throttled - none.throttled, 0.05],
];
const fair = (row, none) => [
  ...polite(row, none), ['the smaller share at least half the larger', atLeast, row.share, 0.5],
];

// A part in which two of something share the quota.
const shared = (what, settings) => ({
  cells: () => [{
    title: `two ${what}, quota 50 %, requests 30 % of it`,
    quota: HALF, settle: SHARING, ...settings,
  }],
  goals: fair,
});

// Each part: its cells, without what they have in common, and the goals of the own row.
const PARTS = {
  grid: {
    cells: (options) => options.quota.flatMap((quota) => options.load.map((load) => ({
      title: `quota ${quota} %, requests ${load} % of it`,
      quota: quota / 100, load: load / 100, place: quota > 100 ? 'all' : 'one',
      contenders: ['none', 'container', 'loop', 'immediate'],
    }))),
    goals: polite,
  },
  batch: {
    cells: () => [HALF, LITTLE].map((quota) => ({
      title: `a program without requests, quota ${whole(quota)}`, quota, load: 0,
      contenders: ['container', 'loop'],
    })),
    goals: (row) => [
      ['work at least 0.95', atLeast, row.work, 0.95],
      ['at most 0.05 of the periods throttled', atMost, row.throttled, 0.05],
    ],
  },
  shared: shared('processes in one group', { count: 2, place: 'all' }),
  workers: shared('worker threads', { threads: 2, place: 'one' }),
  neighbour: {
    cells: () => NEIGHBOUR_LOADS.map((load) => ({
      title: `a neighbour with ${load} % of the processor, no quota`,
      quota: Infinity, load: load / 100, isNeighbour: true,
      contenders: ['none', 'machine', 'loop'],
    })),
    goals: (row) => [...prompt(row), ['work at least 0.5', atLeast, row.work, 0.5]],
  },
};

const options = {
  seconds: seconds(10, 5),
  rounds: rounds(3, 1),
  quota: numbers('quotas of the grid, in percent of a processor', [50, 25, 200],
    { min: 1, max: 10_000, quick: [50] }),
  load: numbers('requests, in percent of the quota or of a processor', [10, 30, 60],
    { min: 1, max: 90, quick: [30] }),
  only: choices('only these parts of', Object.keys(PARTS)),
  quick: flag('a quota of 50 %, a load of 30 %, one round of 5 seconds'),
};

async function open(chosen, processes) {
  const control = await available();
  process.stderr.write(`${control}\n`);
  const teams = createTeams(processes);
  return {
    teams, options: chosen,
    facts: { control },
    end: () => teams.removeGroups(),
  };
}

// The cells of the chosen parts: what their teams are, and what is asked of them.
const plan = (chosen) => chosen.only.flatMap((part) => PARTS[part].cells(chosen).map(
  ({ contenders = ['none', 'container', 'loop'], ...cell }) =>
    ({ part, settle: SETTLE, load: LOAD, ...cell, rows: createRows(contenders, NAMES) })));

// Requests a second: a share of the quota, or of a processor if the quota is larger.
const rateOf = ({ load, quota }, { teams }) => teams.rateOf(load * Math.min(quota, 1));

// A team of each row, which has the requests and the background work; beside a neighbour on its
// processor, which has the requests, only the background work.
async function measure(cell, turns, context) {
  const { teams, options: { seconds: measured } } = context;
  const { settle, isNeighbour, rows: contenders, ...settings } = cell;
  const perSecond = await rateOf(cell, context);
  const asked = isNeighbour
    ? await teams.startTeam({ contender: 'none', quota: Infinity }) : undefined;
  const all = new Map();
  for (const { contender } of contenders) {
    all.set(contender, await teams.startTeam({ contender, ...settings }));
  }
  for (const { run, rows } of turns) {
    for (const { contender, runs } of rows) {
      runs.push(await teams.measure(all.get(contender),
        { perSecond, settle, seconds: measured, seed: run + 1, asked }));
    }
  }
  for (const team of all.values()) await team.end();
  await asked?.end();
}

// The background work that was done, as a share of the processor time that requests left of the
// quota. What requests take is what was used without background work in the same round.
function workOf({ capacity, elapsed, usage }, baseline) {
  const foreground = baseline === undefined ? 0 : baseline.usage / baseline.elapsed * elapsed;
  return (usage - foreground) / (capacity * elapsed - foreground);
}

// The smallest share of a thread or process, as a part of the largest one.
function shareOf(runs) {
  const counts = runs.filter(({ pieces }) => pieces.length > 1)
    .map(({ pieces }) => Math.min(...pieces) / Math.max(1, ...pieces));
  return counts.length === 0 ? null : Math.min(...counts);
}

const latencies = (runs) => summarizeTimes(runs.flatMap(({ times }) => times));

function summarizeRow({ runs, ...row }, none) {
  const own = latencies(runs);
  const base = none === undefined ? {} : latencies(none.runs);
  const isIdle = row.contender === 'none';
  const total = (key) => sum(runs.map((run) => run[key]));
  return {
    ...row,
    ...own,
    ratioP90: own.p90 / base.p90,
    ratioP99: own.p99 / base.p99,
    work: isIdle ? null : median(runs.map((run, i) => workOf(run, none?.runs[i]))),
    throttled: total('throttled') / Math.max(1, total('periods')),
    share: isIdle ? null : shareOf(runs),
  };
}

const find = (rows, ...names) => rows.find(({ contender }) => names.includes(contender));

const summarize = (cell) =>
  ({ ...cell, rows: cell.rows.map((row) => summarizeRow(row, find(cell.rows, 'none'))) });

// The goals of the scheduler's own rows.
const judge = (cells) => cells.flatMap(({ part, title, rows }) => {
  const own = find(rows, 'container', 'machine');
  return PARTS[part].goals(own, find(rows, 'none')).map(([text, compare, value, limit]) =>
    compare(title, text, value, limit));
});

const times = or((value) => `${value.toFixed(2)} ×`);

const COLUMNS = [
  nameColumn('background work'),
  column('p50 ms', 'p50', fixed(2)),
  column('p90 ms', 'p90', fixed(2)),
  column('p99 ms', 'p99', fixed(2)),
  column('p90', 'ratioP90', times),
  column('p99', 'ratioP99', times),
  column('work', 'work', fixed(2)),
  column('throttled\nof 100', 'throttled', or((value) => (value * 100).toFixed(1))),
];
const SHARE = column('smaller\nshare', 'share', fixed(2));
const MORE = { shared: [SHARE], workers: [SHARE] };

module.exports = {
  title: 'Background work under a CPU quota, and with other processes on the processor',
  about: `Background work beside requests, in a control group with a CPU quota, and on a
processor that has other work.`,
  options, open, plan, measure, summarize, judge,
  columns: ({ part }) => [...COLUMNS, ...MORE[part] ?? []],
  introduce: ({ control }) => `${control}. Pages of ${PAGE_MS} ms, and a small request for every two
of them, arrive at random. Background work never ends; its pieces take ${PIECE_MS} ms.

- *work*: the processor time of background work, as a share of the quota that requests leave.
- *throttled*: the periods in which the kernel stopped the process, of 100.
`,
};
