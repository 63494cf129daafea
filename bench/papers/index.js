'use strict';

// `npm run bench papers`: workloads that others chose. A cell is a workload of the Perséphone paper
// (SOSP 2021) at a load; its rows are the contenders, who all get the same requests, and ideal
// threads with these. Two more cells are the turns of agents of `npm run bench beside`.

const path = require('node:path');
const { median } = require('simple-statistics');
const beside = require('../beside');
const { createOpenLoop, createRows, summarizeCare } = require('../harness/open-loop');
const { choices, flag, numbers, rounds, seconds } = require('../harness/options');
const { atMost, column, fixed, markdownTables, nameColumn } = require('../harness/report');
const { at, sum } = require('../harness/statistics');
const { NAMES, OURS, RECIPES } = require('./contenders');
const ideals = require('./ideals');
const { draw } = require('./plot');
const { UNIT, WORKLOADS, createVisitors, pathsOf, typeOf } = require('./workloads');

const AGENTS = 'agents';

// The load that is judged: there the shortest type waits at most this times as long as with the
// ideal thread. At the other loads, rows are measured for a part of the time, and by default only
// those that the plot has.
const JUDGED = { load: 0.8, most: 2 };
const PART = 0.25;
const PLOTTED = ['plain', 'immediate', 'piscina', 'sizes', 'direct'];

// The measurement of the capacity: so many visitors who ask again at once, for so many seconds.
const SATURATING = { visitors: 4, seconds: 1.5 };
// The same is done before each row. The scheduler learns sizes from every hundred requests.
const WARM = { visitors: 4, seconds: 1, requests: 120 };

// Turns are measured so often in each round.
const AGAIN = 3;

// By contender: a thread without cost, and its name.
const IDEALS = {
  inOrder: 'ideal: first come, first served',
  sharing: 'ideal: processor sharing',
  shortestType: 'ideal: shortest type first, uninterrupted (DARC on one core)',
  shortestRest: 'ideal: shortest remaining time (SRPT)',
};
const OVER_HTTP = 'ideal: SRPT with the HTTP cost of plain Node';

const options = {
  seconds: seconds(7, 2),
  rounds: rounds(1),
  workloads: choices('only these of', [...Object.keys(WORKLOADS), AGENTS]),
  loads: numbers('requests, as a multiple of what plain Node can serve', [0.3, 0.6, 0.8, 0.95],
    { min: 0.05, max: 2, quick: [0.8] }),
  contenders: choices('compare these of', Object.keys(NAMES)),
  quick: flag('the load 0.8, 2 seconds: four minutes'),
};

const isJudged = ({ load }) => load === JUDGED.load;

function planWorkload(workload, { loads, contenders, seconds: asked }) {
  const { title, length, types } = WORKLOADS[workload];
  const isAll = contenders.length === Object.keys(NAMES).length;
  const mix = types.map(({ name, of, ms }) => `${of} ${name} of ${ms} ms`).join(', ');
  return loads.map((load) => ({
    workload, load,
    title: `${title}: ${mix}; at ${load} of the capacity`,
    types: types.map(({ name }) => name),
    seconds: asked * length * (isJudged({ load }) ? 1 : PART),
    rows: createRows(isAll && !isJudged({ load }) ? PLOTTED : contenders, NAMES),
  }));
}

const plan = (chosen) => chosen.workloads.flatMap((workload) => (workload === AGENTS
  ? beside.plan({ only: ['turns'], before: null })
  : planWorkload(workload, chosen)));

function open(chosen, processes) {
  const openLoop = createOpenLoop(processes, require.resolve('./contenders'));
  const capacities = new Map();
  // Resolves to the requests per second that plain Node serves.
  async function findCapacity(workload, run) {
    const key = `${workload} ${run}`;
    if (!capacities.has(key)) {
      const paths = pathsOf(workload);
      capacities.set(key, (await openLoop.measure({ contender: 'plain', workload },
        { page: paths[0] }, 'saturate', { ...SATURATING, paths })).perSecond);
    }
    return capacities.get(key);
  }
  return { ...openLoop, processes, findCapacity };
}

async function prepare({ workload, load, seconds: length }, run, { findCapacity }) {
  if (workload === undefined) return undefined;
  const capacity = await findCapacity(workload, run);
  const settings = { perSecond: load * capacity, seconds: length, seed: `${run} ${workload}` };
  return { capacity, visitors: createVisitors(workload, settings) };
}

async function measureTurns(row, cell, opened) {
  const runs = [];
  for (let i = 0; i < AGAIN; i++) {
    runs.push(await beside.measureRow(row, cell, undefined, opened));
  }
  return median(runs);
}

async function measureRow(row, cell, shared, opened) {
  const { workload } = cell;
  if (workload === undefined) return measureTurns(row, cell, opened);
  const { capacity, visitors } = shared;
  const cycle = pathsOf(workload);
  const paths = new Array(Math.ceil(WARM.requests / cycle.length)).fill(cycle).flat();
  const result = await opened.measureRow({ contender: row.contender, workload }, visitors,
    { page: cycle[0], warmUp: { ...WARM, paths } });
  return { ...result, capacity };
}

// The visits as { time, name, outcome, ms }, counted from when they were sent: a timer of the load
// process is up to a millisecond late, which is longer than many requests take.
const sentOf = ({ visitors, results, lateness }) => visitors.map(({ time, name }, i) => ({
  time: time + lateness[i], name, outcome: results[i].outcome, ms: results[i].ms - lateness[i],
}));

// The slowdowns of the visits of each type, and of all: the time in the system as a multiple of
// the service time.
function summarizeSlowdowns(visits, { workload, types }) {
  const slowdowns = visits.map(({ name, ms }) => ({ name, times: ms / typeOf(workload, name).ms }));
  const figuresOf = (list) => {
    const times = list.map((each) => each.times);
    return {
      count: times.length, p50: at(times, 0.5), p99: at(times, 0.99), p999: at(times, 0.999),
    };
  };
  return {
    ...Object.fromEntries(types.map((type) =>
      [type, figuresOf(slowdowns.filter(({ name }) => name === type))])),
    all: figuresOf(slowdowns),
  };
}

// The processor time in ms that a server uses for a request beyond its work.
function costOf(runs, { workload }) {
  const names = runs.flatMap(({ visitors }) => visitors.map(({ name }) => name));
  const work = sum(names.map((name) => typeOf(workload, name).ms));
  return Math.max(0, (sum(runs.map(({ cpu }) => cpu)) - work) / names.length);
}

function summarizeRow({ runs, ...row }, cell) {
  const visits = runs.flatMap(sentOf).filter(({ outcome }) => outcome === 'served');
  const sent = sum(runs.map(({ visitors }) => visitors.length));
  return {
    ...row, ...summarizeCare(runs), failed: sent - visits.length,
    types: summarizeSlowdowns(visits, cell), cost: costOf(runs, cell),
  };
}

// The rows of the ideal threads, with the requests as the first row has sent them.
function summarizeIdeals(cell) {
  const [{ runs }] = cell.rows;
  const typeFor = (name) => typeOf(cell.workload, name);
  const rowOf = (contender, name, serve, cost) => {
    const visits = runs.map(sentOf).flatMap((sent) =>
      serve(sent, typeFor, cost).map((ms, i) => ({ name: sent[i].name, ms })));
    return { contender, name, types: summarizeSlowdowns(visits, cell) };
  };
  const rows = Object.entries(IDEALS).map(([key, name]) => rowOf(key, name, ideals[key]));
  const plain = cell.rows.find(({ contender }) => contender === 'plain');
  if (plain === undefined) return rows;
  const cost = costOf(plain.runs, cell);
  return [...rows, { ...rowOf('overHttp', OVER_HTTP, ideals.shortestRest, cost), cost }];
}

function summarize(cell) {
  if (cell.workload === undefined) return beside.summarize(cell);
  const rows = [...cell.rows.map((row) => summarizeRow(row, cell)), ...summarizeIdeals(cell)];
  const [shortest] = cell.types;
  const tailOf = (row) => row?.types[shortest].p999 ?? null;
  const ratio = (row, contender) =>
    tailOf(row) / tailOf(rows.find((each) => each.contender === contender));
  return {
    ...cell, shortest,
    rows: rows.map((row) => ({
      ...row, ofIdeal: ratio(row, 'shortestRest'), ofIdealOverHttp: ratio(row, 'overHttp'),
    })),
  };
}

function judgeCell(cell) {
  if (cell.workload === undefined) return beside.judge([cell]);
  if (!isJudged(cell)) return [];
  const { most } = JUDGED;
  const text = `p99.9 slowdown of ${cell.shortest} at most ${most} × that of SRPT`;
  return cell.rows.filter(({ contender }) => RECIPES.includes(contender)).flatMap((row) => [
    atMost(cell.title, `${row.name}: ${text}`, row.ofIdeal, most),
    atMost(cell.title, `${row.name}: ${text} over HTTP`, row.ofIdealOverHttp, most),
  ]);
}

// A ratio to the ideal, and whether a row that is judged meets the goal.
function ratioColumn(head, path, cell) {
  const { value, figure, format } = column(head, path, fixed(1));
  const verdict = (row) => {
    if (!isJudged(cell) || !OURS.includes(row.contender)) return '';
    return figure(row) <= JUDGED.most ? ', met' : ', missed';
  };
  return { head, figure, format, value: (row) => `${value(row)}${verdict(row)}` };
}

const columns = (cell) => (cell.workload === undefined ? beside.columns(cell) : [
  nameColumn(),
  ...[...cell.types, 'all'].flatMap((type) => ['p50', 'p99', 'p999'].map((figure, i) =>
    column(i === 0 ? `${type}\np50` : ['', 'p99', 'p99.9'][i], `types.${type}.${figure}`))),
  ratioColumn(`${cell.types[0]} p99.9\n/ SRPT`, 'ofIdeal', cell),
  ratioColumn('/ SRPT\nover HTTP', 'ofIdealOverHttp', cell),
  column('cost', 'cost', fixed(2)),
]);

// Markdown of the tables that decide: the p99.9 of the shortest types at the load that is judged,
// of valid rows.
function summaryOf(cells, faults) {
  const judged = cells.filter((cell) => cell.workload !== undefined && isJudged(cell));
  if (judged.length === 0) return '';
  const rows = judged[0].rows.map(({ contender, name }) => ({
    name,
    tails: judged.map((cell) => {
      if (faults.some((fault) => fault.startsWith(`${cell.title}, ${name}: `))) return null;
      return cell.rows.find((row) => row.contender === contender)?.types[cell.shortest].p999;
    }),
  }));
  const heads = judged.map(({ workload, shortest }, i) =>
    column(`${WORKLOADS[workload].title}, ${shortest}`, `tails.${i}`));
  const title = `p99.9 slowdown of the shortest type at ${JUDGED.load} of the capacity`;
  return markdownTables([{ title, rows }], () => [nameColumn(), ...heads]);
}

const pictureOf = ({ svg }) => (svg ? `![The p99.9 slowdown of the shortest type of each workload \
against the load](${path.basename(svg)})\n\n` : '');

module.exports = {
  title: "Other people's workloads",
  about: `Requests with the service times of the paper "When Idling is Ideal" (Perséphone, SOSP
2021), and turns of agents: twelve minutes by default.`,
  options, open, plan, prepare, measureRow, summarize, columns, draw,
  judge: (cells) => cells.flatMap(judgeCell),
  introduce: ({ cells, faults, options: chosen }) => `The workloads are those of "When Idling is
Ideal" (Perséphone, SOSP 2021), shares and service times from its artifact, the times multiplied by
100.
Requests arrive at random, whether or not the server has time, the same ones for all rows of a
table. Server and visitors have a processor each; the thread of the pool shares the server's. A load
is a multiple of what plain Node serves to ${SATURATING.visitors} visitors who ask again at once, so
the capacity includes HTTP. At ${JUDGED.load} each row has the seconds above, times
${Object.entries(WORKLOADS).map(([, { title, length }]) => `${length} (${title})`).join(', ')}; at
other loads ${PART} of that.

- Figures are slowdowns: the time from when a request was sent until the response was complete,
  divided by its service time. Where a type has less than a thousand requests, its p99.9 is the
  longest of all.
- The work is cut into units of ${UNIT} ms, between which a server may pause, or is one function.
- Where types are known, docs/guide.md recommends priorities: here \`user-blocking\` for the
  shortest types, \`user-visible\` for the next, and \`background\` for the longest of TPC-C, in the
  paper's groups; or no task at all where an answer takes little. These two are judged. Without
  types, \`controllerFor()\` learns the sizes of requests.
- The ideal threads know all service times, and switch without cost. On one core, the paper's DARC
  has none to reserve: its order remains.
- *cost*: the processor time in ms that a server has used for a request beyond its work. Of work
  that is cut, each unit is spun 2 to 3 µs longer than its time, whatever cuts it.

${pictureOf(chosen)}${summaryOf(cells, faults)}In the turns of agents, times are in ms, medians of
${AGAIN} for each round.
`,
};
