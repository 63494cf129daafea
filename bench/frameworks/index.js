'use strict';

// `npm run bench frameworks`: one page in each framework. A cell is a program; its rows are the
// program's variants at each load, with visitors who arrive at their own times (an open loop).

const { createArrivals } = require('../harness/arrivals');
const { choices, rounds, seconds } = require('../harness/options');
const { column, nameColumn } = require('../harness/report');
const { startLoad } = require('../harness/processes');
const { mediansOf, ordered, summarizeTimes } = require('../harness/statistics');
const { LOADS, PROGRAMS, VARIANTS, commandOf, runsOn } = require('./list');

// Health checks open the connections.
const WAY = { page: '/health' };

const WARM_UP_SECONDS = 1.5;
const CALIBRATION_SECONDS = 1;
const CPU_SECONDS = 2;

// The goal, at the first load, against the plain program.
const HEALTH_SHARE = 1 / 3;
const PAGE_SHARE = 1.3;

const options = {
  seconds: seconds(4),
  rounds: rounds(3),
  only: choices('measure only these of', PROGRAMS.map(({ name }) => name)),
};

const open = ({ seconds: measured }, processes) =>
  ({ start: processes.start, measured, load: startLoad(processes) });

const plan = ({ only }) => PROGRAMS
  .filter((program) => only.includes(program.name) && runsOn(program))
  .map((program) => ({
    program, title: program.title,
    rows: LOADS.flatMap((load) => VARIANTS.map((variant) =>
      ({ name: `${load}, ${variant}`, load, variant, runs: [] }))),
  }));

async function startServers(program, start) {
  const servers = {};
  for (const variant of VARIANTS) {
    const { file, args } = commandOf(program, variant);
    const child = start(file, { args });
    servers[variant] = { ...child, ...await child.answer() };
  }
  return servers;
}

async function measure({ program }, turns, { start, measured, load }) {
  const { page = '/page' } = program;
  const servers = await startServers(program, start);
  // Lets one visitor ask for page after page.
  const visitAlone = (server, time) =>
    load.measure(server, WAY, 'saturate', { paths: [page], visitors: 1, seconds: time });
  for (const server of Object.values(servers)) await visitAlone(server, WARM_UP_SECONDS);
  for (const { run, rows } of turns) {
    const { perSecond: capacity } = await visitAlone(servers.plain, CALIBRATION_SECONDS);
    // The processor time of a server for a page, in ms.
    const costs = {};
    for (const variant of ordered(VARIANTS, run)) {
      const { cpu, pages } = await visitAlone(servers[variant], CPU_SECONDS);
      costs[variant] = cpu / pages.length;
    }
    for (const { load: share, variant, runs } of rows) {
      // The same for all variants.
      const arrivals = { perSecond: capacity * share, seconds: measured, seed: run + 1 };
      const visitors = createArrivals(arrivals).map((time) => ({ time, name: page.slice(1) }));
      const visits =
        await load.measure(servers[variant], WAY, 'arrive', { visitors, checks: true });
      runs.push({ ...visits, cpu: costs[variant] });
    }
  }
  for (const server of Object.values(servers)) await server.end();
}

function summarizeRun({ results, health, elapsed, cpu }) {
  const { p50: pageP50, p99: pageP99 } = summarizeTimes(results.map(({ ms }) => ms));
  return {
    healthP99: summarizeTimes(health).p99, pageP50, pageP99, cpu,
    pagesPerSecond: results.length / elapsed * 1000,
  };
}

// Says whether a row reaches the goal, or by how much it misses it.
function verdict(row, plain) {
  const [health, page] = ['healthP99', 'pageP50'].map((key) => row[key] / plain[key]);
  const isMet = health <= HEALTH_SHARE && page <= PAGE_SHARE;
  return `${isMet ? 'met' : 'missed'}: ${health.toFixed(2)}, ${page.toFixed(2)}`;
}

function summarize({ rows, ...cell }) {
  const all = rows.map(({ runs, ...row }) =>
    ({ ...row, ...mediansOf(runs.map(summarizeRun)), goal: '' }));
  const find = (wanted) =>
    all.find(({ variant, load }) => variant === wanted && load === LOADS[0]);
  const [plain, cut] = [find('plain'), find('uv-scheduler')];
  cut.goal = verdict(cut, plain);
  return { ...cell, plain, cut, rows: all };
}

const digits = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0));

const COLUMNS = [
  nameColumn(),
  column('`/health` p99', 'healthP99', digits),
  column('page p50', 'pageP50', digits),
  column('page p99', 'pageP99', digits),
  column('pages/s', 'pagesPerSecond', digits),
  column('CPU a page', 'cpu', digits),
  { head: 'goal', value: ({ goal }) => goal },
];

// At the first load, from the plain program to that with uv-scheduler, the highest price first.
function prices(cells) {
  const ratio = ({ cut, plain }) => cut.cpu / plain.cpu;
  return [...cells].sort((a, b) => ratio(b) - ratio(a)).map(({ title, cut, plain }) => {
    const shown = ['cpu', 'pageP50', 'healthP99']
      .map((key) => `${digits(plain[key])} → ${digits(cut[key])}`);
    return `| ${[title, ...shown].join(' | ')} |`;
  }).join('\n');
}

const introduce = ({ cells }) => `Visitors arrive at each program at random times, whether or not
earlier ones have their pages (an open loop), at 0.5 and 0.8 of the pages that the plain program can
make. One health check follows another, at least 5 ms later. Times are in ms, from when the visitor
should have arrived; of several rounds, the medians.

- *plain*: the program without this package. Of the applications that have to be built, the same
  page, in which \`pieces()\` only gives the items and \`<Scheduled>\` only its children.
- *immediates*: the program that waits for a \`setImmediate()\` after each slice of 5 ms.
- *CPU*: the processor time that the server takes for a page, on all threads, with one visitor at a
  time and without health checks.
- *goal*, at 0.5: a \`/health\` p99 of at most a third of the plain program's, and a page p50 of at
  most 1.3 times the plain program's. The numbers are both ratios.

## Prices

At ${LOADS[0]}, from plain to uv-scheduler, in ms:

|  | CPU a page | page p50 | \`/health\` p99 |
| --- | --- | --- | --- |
${prices(cells)}

## All rows
`;

module.exports = {
  title: 'Frameworks',
  about: 'One page in each framework, at two loads: about 35 minutes.',
  options, open, plan, measure, summarize, introduce,
  columns: () => COLUMNS,
};
