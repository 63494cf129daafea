'use strict';

// `npm run bench json`: a server parses one long text beside small requests. A cell is the length
// of the text; its rows are ways to parse it.

const path = require('node:path');
const { median } = require('simple-statistics');
const { findFaults, summarizeCare, visitsOf } = require('../harness/open-loop');
const { choices, numbers, rounds } = require('../harness/options');
const { startLoad } = require('../harness/processes');
const { atMost, column, fixed, ms, nameColumn } = require('../harness/report');
const { at, summarizeTimes } = require('../harness/statistics');
const { NAMES } = require('./parsers');

const ROOT = path.join(__dirname, '../..');
const SERVER = require.resolve('./server');

// Longer than any parser takes, in ms.
const PATIENCE = 600_000;

// The parser that takes minutes for more than so many MB.
const SLOW = { name: 'yieldable-json', megabytes: 18 };

const IN_ONE_GO = 'parseChunked()';
const OURS = 'parseChunked(pieces())';

const options = {
  rounds: rounds(1),
  only: choices('only these of', NAMES),
  sizes: numbers('texts of so many MB', [18, 50, 75], { min: 0.1, max: 400 }),
};

const open = (chosen, processes) => {
  const load = startLoad(processes);
  const { pinned, startServer } = processes;
  return {
    facts: { pinned }, load, startServer, end: load.end,
    // One visitor comes, so nothing says how late visitors are.
    findFaults: (cells) => findFaults(cells, { pinned }, { lateP99: Infinity }),
  };
};

const plan = ({ sizes, only }) => sizes.map((megabytes) => ({
  megabytes, title: `${megabytes} MB`,
  rows: only.filter((name) => name !== SLOW.name || megabytes <= SLOW.megabytes)
    .map((name) => ({ name, runs: [] })),
}));

async function measure({ megabytes }, turns, { load, startServer }) {
  for (const { rows } of turns) {
    for (const { name, runs } of rows) {
      const server = await startServer(SERVER, { parser: name, root: ROOT, megabytes });
      const visitors = [{ time: 0, name: 'parse' }];
      const visits = await load.measure(server, { page: '/health' }, 'arrive',
        { visitors, checks: true, patience: PATIENCE });
      runs.push({ ...visits, visitors, ...await server.ask('parsed') });
      await server.end();
    }
  }
}

function summarize({ rows, ...cell }) {
  const summarizeRow = ({ runs, ...row }) => {
    const times = runs.map(({ results: [visit] }) => visit.ms);
    // Its share is that of the time of the parsing, not of when its visitor arrived.
    const waiting = median(runs.map((run, i) => (run.waiting ?? NaN) / times[i]));
    return {
      ...row, ...summarizeCare(runs), waiting,
      parsed: visitsOf(runs).every(({ outcome }) => outcome === 'served'),
      length: runs[0].length, time: median(times),
      lag: at(runs.flatMap(({ lags }) => lags), 0.95),
      health: summarizeTimes(runs.flatMap(({ health }) => health)),
    };
  };
  return { ...cell, rows: rows.map(summarizeRow) };
}

function judge(cells) {
  return cells.flatMap(({ title, rows }) => {
    const [ours, whole] = [OURS, IN_ONE_GO].map((name) => rows.find((row) => row.name === name));
    if (ours === undefined || whole === undefined) return [];
    return [
      atMost(title, `${OURS}: time at most 1.3 × that of ${IN_ONE_GO}`, ours.time,
        1.3 * whole.time, ms),
      atMost(title, `${OURS}: p95 of the loop's lag at most 10 ms`, ours.lag, 10, ms),
    ];
  });
}

const COLUMNS = [
  nameColumn(),
  column('time', 'time', fixed(0)),
  column('lag\np95', 'lag'),
  column('/health\np50', 'health.p50'),
  column('p99', 'health.p99'),
];

module.exports = {
  title: 'Large JSON',
  about: `A server parses one long text of JSON beside small requests: one to four minutes.`,
  options, open, plan, measure, summarize, judge,
  columns: () => COLUMNS,
  introduce: () => `A server has the bytes of a list of orders in memory, and parses them once. A
health check goes out every 5 ms meanwhile; nothing else is asked of the server. Times are in ms.
${SLOW.name} is measured at ${SLOW.megabytes} MB only: it takes minutes for more. Server and load
have a processor each.

- *time*: from the request to parse to its answer.
- *lag*: how long after each ms of that time the loop came to its timers.
- */health*: as long as the parsing goes on; a check that was due while another waited counts as
  sent on time.
- *${IN_ONE_GO}* is that of \`@discoveryjs/json-ext\`. It and stream-json get chunks of 64 KiB,
  which are in memory: unlike those of a socket, they give no reason to wait, so both parse in one
  go.
`,
};
