'use strict';

// The frame of the benchmarks in which visitors arrive at a server at their own times (an open
// loop): it starts a server of a contender, lets the visitors arrive, and ends it. Server and load
// have a processor each. The same visitors come to all contenders of a cell.
//
// The runs of its rows are what measureRow() resolves to, or measure() with the command 'compete'.
// `contenders` is the path of a module with createContender(options).

const { setTimeout: sleep } = require('node:timers/promises');
const { startLoad } = require('./processes');
const { at, sum, summarizeTimes } = require('./statistics');

const SERVER = require.resolve('./server');

// Until visitors who have left are forgotten, in ms.
const PAUSE = 200;

// Half of what a page takes in the most benchmarks; and what stops everything, in ms.
const LATE = { lateP99: 10, lateMost: 100 };

// `limits` say how late visitors may be sent until a measurement is not valid, in ms. `program` is
// a load process of its own, which opens no connections before.
function createOpenLoop(processes, contenders, { limits = LATE, program } = {}) {
  const { pinned, startServer } = processes;
  const load = startLoad(processes, program);

  const startContender = (options) => startServer(SERVER, { contenders, options });

  // Starts a server of a contender, and resolves to what is measured of it. `warmUp` are the
  // settings of a saturation before that, which compiles the code of the server.
  async function measure(options, { warmUp, ...way }, command, settings) {
    const server = await startContender(options);
    try {
      if (warmUp !== undefined) await load.measure(server, way, 'saturate', warmUp);
      return await load.measure(server, way, command, settings);
    } finally {
      await server.end();
      await sleep(PAUSE);
    }
  }

  // Lets visitors { time, name } come to a server of a contender. `page` is the path by which they
  // open their connections, and `habits` are those of the visitors.
  async function measureRow(options, visitors, { seed, habits, ...way }) {
    return { ...await measure(options, way, 'arrive', { visitors, seed, ...habits }), visitors };
  }

  return {
    facts: { pinned }, measure, measureRow, measureServer: load.measure, startContender,
    findFaults: (cells) => findFaults(cells, { pinned }, limits),
    end: load.end,
  };
}

const createRows = (contenders, names) =>
  contenders.map((contender) => ({ contender, name: names[contender], runs: [] }));

// The visits of all runs of a row: visitors, and what became of them.
const visitsOf = (runs) => runs.flatMap(({ visitors, results, events = [] }) =>
  [...visitors.map((visitor, i) => ({ ...visitor, ...results[i] })), ...events]);

// The number and the share of visits that were served, and the times of these.
function summarizeVisits(visits) {
  const served = visits.filter(({ outcome }) => outcome === 'served').map(({ ms }) => ms);
  const share = visits.length === 0 ? null : served.length / visits.length;
  return { sent: visits.length, served: served.length, share, ...summarizeTimes(served) };
}

// How late the load process itself was, and what others took from the server.
function summarizeCare(runs) {
  const lateness = runs.flatMap((run) => run.lateness);
  const isKnown = runs.every(({ waiting }) => waiting !== null);
  return {
    lateP99: at(lateness, 0.99),
    lateMost: lateness.reduce((most, each) => Math.max(most, each), 0),
    // The part of the time in which others had the server's processor.
    waiting: isKnown
      ? sum(runs.map((run) => run.waiting)) / sum(runs.map((run) => run.visitors.at(-1).time))
      : null,
    failed: visitsOf(runs).filter(({ outcome }) => outcome === 'failed').length,
  };
}

const WAITING_AT_MOST = 0.03;

// Finds the faults of a measurement itself: a load process that was late measures its own waiting,
// and a server that shares its processor is slower. Returns a list of texts.
function findFaults(cells, { pinned }, { lateP99, lateMost = Infinity }) {
  const faults = cells.flatMap(({ title, rows }) => rows.flatMap((row) => {
    const found = [];
    if (row.lateP99 > lateP99 || row.lateMost > lateMost) {
      found.push(`visitors were sent late, p99 ${row.lateP99.toFixed(1)} ms, the latest `
        + `${row.lateMost.toFixed(0)} ms`);
    }
    if (row.waiting > WAITING_AT_MOST) {
      found.push("other processes had the server's processor for "
        + `${(row.waiting * 100).toFixed(1)} % of the time`);
    }
    if (row.failed > 0) found.push(`${row.failed} requests failed without an answer`);
    return found.map((text) => `${title}, ${row.name}: ${text}`);
  }));
  return pinned ? faults : ['processes are not bound to processors: there is one, or no taskset',
    ...faults];
}

module.exports = {
  createOpenLoop, createRows, findFaults, summarizeCare, summarizeVisits, visitsOf,
};
