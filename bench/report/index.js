'use strict';

// `npm run bench report`: the processor time that `--import uv-scheduler/report` takes on the
// saturated site of `npm start`. A cell is a strategy of the site; its rows are a server without
// the flag, one with it, and another one without.
//
// Processes of one program differ by some percent as long as they live, and a machine from one
// second to the next. So each round starts all servers anew, and asks one after the other for the
// same few pages.

const { pathToFileURL } = require('node:url');
const { mean, median } = require('simple-statistics');
const { random } = require('../harness/arrivals');
const { number, rounds, seconds } = require('../harness/options');
const { startLoad } = require('../harness/processes');
const { atMost, column, fixed, nameColumn } = require('../harness/report');
const { at, ordered } = require('../harness/statistics');
const strategies = require('../ssr/strategies');

const SERVER = require.resolve('../ssr/server');

// Programs that do not use this package, and that do.
const STRATEGIES = ['immediate', 'prioritized'];

const WITH = 'with the flag';

// As an address, which does not depend on the folder of the process.
const REPORT = pathToFileURL(require.resolve('uv-scheduler/report')).href;

// Two servers without the flag differ by a percent, so the ratios are to their mean.
const ROWS = [
  { name: 'without', flags: [] },
  { name: WITH, flags: ['--import', REPORT] },
  { name: 'without, again', flags: [] },
];

// The pages that are requested at once, and those that a server answers before the next one does.
const VISITORS = 4;
const PAGES = 16;

// The number of draws for an interval.
const DRAWS = 10_000;

const options = {
  seconds: seconds(20),
  warm: number('ask for pages for N seconds before that', 10, { min: 0, max: 600 }),
  rounds: rounds(12),
};

async function open(chosen, processes) {
  return { chosen, load: startLoad(processes), startServer: processes.startServer };
}

const plan = () => STRATEGIES.map((strategy) => ({
  strategy, title: strategies[strategy].name,
  rows: ROWS.map((row) => ({ ...row, runs: [] })),
}));

async function measure({ strategy }, turns, { chosen, load, startServer }) {
  for (const { rows: ofRound } of turns) {
    const rows = [];
    for (const row of ofRound) {
      const execArgv = [...process.execArgv, ...row.flags];
      rows.push({ ...row, ...await startServer(SERVER, { strategy }, { execArgv }) });
    }
    await load.connect(rows.map(({ url }) => url), '/health');
    await visitAll(rows, chosen.warm, load);
    await visitAll(rows, chosen.seconds, load);
    for (const { runs, ms, pages, end } of rows) {
      runs.push(ms / pages);
      await end();
    }
  }
}

// Asks all servers in turn for so many seconds each, and adds up the processor time of all threads
// of each one, and its pages.
async function visitAll(servers, length, load) {
  const [{ paths }] = servers;
  const end = performance.now() + length * 1000 * servers.length;
  for (const server of servers) Object.assign(server, { ms: 0, pages: 0 });
  for (let turn = 0; performance.now() < end; turn++) {
    const first = turn * PAGES % paths.length;
    const some = paths.slice(first, first + PAGES);
    for (const server of ordered(servers, turn)) {
      const before = await server.ask('read');
      await load.ask('saturate',
        { server: servers.indexOf(server), paths: some, visitors: VISITORS, seconds: 0 });
      const after = await server.ask('read');
      server.ms += after.cpu - before.cpu;
      server.pages += some.length;
    }
  }
}

// The range in which the median of the ratios lies with a probability of 95 %, by drawing as many
// of them again and again.
function intervalOf(ratios) {
  const medians = Array.from({ length: DRAWS }, (_, draw) =>
    median(ratios.map((_, i) => ratios[Math.floor(random(draw, i) * ratios.length)])));
  return [at(medians, 0.025), at(medians, 0.975)];
}

function summarize({ rows, ...cell }) {
  const without = rows.filter(({ name }) => name !== WITH);
  const base = (i) => mean(without.map(({ runs }) => runs[i]));
  return {
    ...cell,
    rows: rows.map(({ name, runs }) => {
      const ratios = runs.map((ms, i) => ms / base(i));
      return { name, runs, ms: median(runs), ratio: median(ratios), interval: intervalOf(ratios) };
    }),
  };
}

const judge = (cells) => cells.map(({ title, rows }) =>
  atMost(title, 'processor time with the flag at most 1.01 ×',
    rows.find(({ name }) => name === WITH).ratio, 1.01, fixed(3)));

const COLUMNS = [
  nameColumn(),
  column('ms', 'ms', fixed(3)),
  column('ratio', 'ratio', fixed(3)),
  column('from', 'interval.0', fixed(3)),
  column('to', 'interval.1', fixed(3)),
];

module.exports = {
  title: 'The flag uv-scheduler/report',
  about: `The site of npm start, saturated, with --import uv-scheduler/report and without: 40
minutes.`,
  options, open, plan, measure, summarize, judge,
  columns: () => COLUMNS,
  introduce: () => `The processor time of all threads of a server for each page of the site of
\`npm start\`, with \`--import uv-scheduler/report\` and without, twice. ${VISITORS} visitors ask
for a page as soon as they have the last one. Each round starts new servers, which answer ${PAGES}
pages in turn. *ratio* is the median of the rounds, compared with the mean of the servers without;
with a probability of 95 % it lies *from* … *to*.
`,
};
