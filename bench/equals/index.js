'use strict';

// `npm run bench equals`: pages of one priority that share a thread. A cell is a mix of pages at a
// load; its rows are the contenders, and the ideal thread with the same visitors.

const {
  createOpenLoop, createRows, summarizeCare, summarizeVisits, visitsOf,
} = require('../harness/open-loop');
const { choices, flag, numbers, rounds, seconds, warm } = require('../harness/options');
const { atLeast, atMost, column, fixed, ms, nameColumn } = require('../harness/report');
const { sum } = require('../harness/statistics');
const { NAMES } = require('./contenders');
const { serveIdeally } = require('./ideal');
const { KNOWN, MIXES, createVisitors, kindOf, measuredOf } = require('./mixes');
const { draw } = require('./plot');

const IDEAL = 'an ideal thread that knows all sizes';

// Longer than any visitor waits who does not leave, in ms.
const PATIENCE = 120_000;

// The time of a short page, in ms.
const LIMITS = { lateP99: 3 };

const FIGURES = ['mean', 'p50', 'p90', 'p99'];

const options = {
  seconds: seconds(60, 15),
  warm: warm(3),
  rounds: rounds(1),
  mixes: choices('only these mixes of pages of', Object.keys(MIXES)),
  loads: numbers("shares of the thread's time that the pages take", [0.6], { min: 0.05, max: 2 }),
  contenders: choices('compare these of', Object.keys(NAMES)),
  quick: flag('15 seconds for each row: eight minutes'),
};

function rowsFor({ contenders: own, alone = false, kinds: [{ name }] }, contenders) {
  const chosen = contenders.filter((each) => own?.includes(each) ?? true);
  const rows = createRows(chosen, NAMES);
  if (!alone) return rows;
  const rest = createRows(chosen.filter((each) => KNOWN.includes(each)), NAMES);
  return [...rows, ...rest.map((row) =>
    ({ ...row, name: `${row.name}, ${name} alone`, isAlone: true }))];
}

function plan({ mixes, loads, contenders, seconds: measured, warm: before }) {
  const cells = mixes.flatMap((name) => (MIXES[name].loads ?? loads).map((load) => ({
    mix: name, load,
    title: `${MIXES[name].title}, at ${load} of the capacity`,
    kinds: measuredOf(MIXES[name]),
    seconds: before + measured,
    from: before * 1000,
    until: (before + measured) * 1000,
    rows: rowsFor(MIXES[name], contenders),
  })));
  return cells.filter(({ rows }) => rows.length > 0);
}

const namesOf = (mix) => MIXES[mix].kinds.map(({ name }) => name);

const prepare = ({ mix, load, seconds: all }, run) =>
  createVisitors(MIXES[mix], { load, seconds: all, seed: `${run} ${mix} ${load}` });

function measureRow({ contender, isAlone }, { mix, seconds: all }, visitors, openLoop) {
  const { crowd, lasting = [], patience = PATIENCE } = MIXES[mix];
  const names = namesOf(mix);
  const server = { contender, mix };
  const way = { page: `/${names[0]}` };
  if (crowd !== undefined) {
    return openLoop.measure(server, way, 'compete', { names, visitors: crowd, seconds: all });
  }
  const own = isAlone ? visitors.filter(({ name }) => name === names[0]) : visitors;
  const habits = {
    patience, lasting: lasting.map(({ name, streams }) => ({ name, count: streams })),
  };
  return openLoop.measureRow(server, own, { ...way, habits });
}

// The figures of the pages of each kind that were asked for from `from` on, and the thread time of
// those that were complete from then until `until`.
function summarizeKinds(runs, { mix, kinds, from, until }) {
  const visits = visitsOf(runs);
  return Object.fromEntries(kinds.map((name) => {
    const all = visits.filter((visit) => visit.name === name);
    const { count, ms: piece } = kindOf(MIXES[mix], name);
    const complete = all.filter(({ outcome, time, ms: wait }) =>
      outcome === 'served' && time + wait >= from && time + wait < until);
    return [name, {
      ...summarizeVisits(all.filter(({ time }) => time >= from)),
      time: complete.length * count * piece,
    }];
  }));
}

// The processor time in ms that a server uses for a page beyond the work of its pieces.
function costOf({ mix }, { runs }) {
  const names = runs.flatMap(({ visitors }) => visitors.map(({ name }) => name));
  const pieces = sum(names.map((name) => kindOf(MIXES[mix], name)).map(({ count, ms: each }) =>
    count * each));
  return Math.max(0, (sum(runs.map(({ cpu }) => cpu)) - pieces) / names.length);
}

function summarizeRow({ runs, ...row }, cell) {
  const care = summarizeCare(runs);
  const unserved = runs.flatMap(({ results }) => results)
    .filter(({ outcome }) => outcome !== 'served').length;
  return {
    ...row, ...care,
    kinds: summarizeKinds(runs, cell),
    cost: MIXES[cell.mix].ideal ? costOf(cell, { runs }) : null,
    failed: MIXES[cell.mix].mayRefuse ? care.failed : unserved,
  };
}

function summarizeIdeal(cell, row) {
  const runs = cell.rows[0].runs.map(({ visitors }) => {
    const times = serveIdeally(visitors, (name) => kindOf(MIXES[cell.mix], name), row.cost);
    return { visitors, results: times.map((each) => ({ outcome: 'served', ms: each })) };
  });
  return { ...row, kinds: summarizeKinds(runs, cell) };
}

// The ideal thread, and one to which each page costs what it costs the plain server.
function summarizeIdeals(cell) {
  if (!MIXES[cell.mix].ideal) return { ideal: null };
  const ideal = summarizeIdeal(cell, { contender: 'ideal', name: IDEAL, cost: 0 });
  const plain = cell.rows.find(({ contender }) => contender === 'plain');
  if (plain === undefined) return { ideal };
  const row = {
    contender: 'overHttp', name: 'the same with the cost of plain Node', cost: costOf(cell, plain),
  };
  return { ideal, idealOverHttp: summarizeIdeal(cell, row) };
}

const summarize = (cell) => ({
  ...cell, rows: cell.rows.map((row) => summarizeRow(row, cell)), ...summarizeIdeals(cell),
});

// The goals of a row, as mixes.js describes them.
function judgeRow({ title, rows, ideal }, row, { kind, beside, ofKind = kind, ...goal }) {
  const figures = row.kinds[kind];
  const text = (what) => `${row.name}: ${what}`;
  if (goal.weights !== undefined) {
    const [heavy, light] = goal.weights.map((each) => row.kinds[each].time);
    const distance = light === 0 ? null : Math.abs(heavy / light / goal.ratio - 1);
    return [atMost(title, text(`thread time ${goal.ratio} : 1`), distance, goal.within)];
  }
  if (goal.all) {
    return [atLeast(title, text(`all ${kind} pages served`), figures.served, figures.sent, String)];
  }
  if (goal.bounds !== undefined) {
    return Object.entries(goal.bounds).map(([figure, limit]) =>
      atMost(title, text(`${figure} of ${kind} pages`), figures[figure], limit, ms));
  }
  const other = {
    ideal: () => ideal,
    alone: () => rows.find((each) => each.contender === row.contender && each.isAlone),
  }[beside]?.() ?? rows.find(({ contender }) => contender === (beside ?? row.contender));
  if (other === undefined) return [];
  return Object.entries(goal.most).map(([figure, times]) => {
    const least = other.kinds[ofKind][figure];
    const peer = other === row ? `${ofKind} pages` : other.name;
    return atMost(title, text(`${figure} of ${kind} pages at most ${times} × that of ${peer}`),
      figures[figure], least === null ? null : times * least, ms);
  });
}

const judge = (cells) => cells.flatMap((cell) => MIXES[cell.mix].goals.flatMap((goal) =>
  cell.rows.filter(({ contender, isAlone }) => goal.rows.includes(contender) && !isAlone)
    .flatMap((row) => judgeRow(cell, row, goal))));

const countOf = ({ served, sent }) => (served === sent ? `${served}` : `${served} of ${sent}`);

const columns = ({ kinds, ideal }) => [nameColumn(), ...kinds.flatMap((kind) => [
  column(`${kind}\nserved`, `kinds.${kind}`, countOf),
  ...FIGURES.map((figure) => column(figure, `kinds.${kind}.${figure}`)),
]), ...ideal ? [column('cost', 'cost', fixed(2))] : []];

module.exports = {
  title: 'Equals',
  about: `Pages of one priority share the thread of a server: half an hour by default.
The mixes of more than pages (weights, tenants, stream, streams, visitors, background) have loads of
their own.`,
  options,
  open: (chosen, processes) =>
    createOpenLoop(processes, require.resolve('./contenders'), { limits: LIMITS }),
  plan, prepare, measureRow, summarize, judge, columns, draw,
  introduce: () => `Visitors arrive at random, the same ones for all rows of a table. Times are in
ms, from when the visitor should have arrived until the page was complete. Server and visitors have
a processor each. The cost of a page is the processor time that the server has used beyond the work
of the page itself.
`,
};
