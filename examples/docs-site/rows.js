'use strict';

// The rows of the report: each has a server process of its own, which the load process visits in
// short turns. Collects the raw results.

const path = require('node:path');

const strategies = require('./strategies');

const SERVER = path.join(__dirname, 'server.js');

// The length of each phase, as a share of a row's time. Each lasts at least until every page was
// visited.
const SHARES = { alone: 0.2, leaving: 0.2, reading: 0.7, saturated: 0.3 };
// This is part of the first two turns only: what it shows differs little between turns.
const IN_TWO_TURNS = new Set(['leaving']);

// Collecting young garbage is the longest piece that no strategy can cut. Half the memory for it
// than Node 24 takes by itself makes the collections more frequent, and half as long.
const SERVER_ARGUMENTS = ['--max-semi-space-size=8'];

// The length of a trace, in seconds.
const TRACED = 1;

// The number of times that every page is fetched first, so that the compiler has seen all code.
const WARM_UP = 2;

const ROWS = [
  { strategy: 'unchunked', indexing: true, phases: ['alone', 'reading', 'saturated'] },
  { strategy: 'immediate', indexing: true, phases: ['alone', 'reading', 'saturated'] },
  {
    strategy: 'prioritized',
    indexing: true,
    phases: ['alone', 'leaving', 'reading', 'saturated'],
  },
  { strategy: 'prioritized', indexing: false, phases: ['reading', 'saturated'] },
  // Goes on with the pages of visitors who have left.
  { strategy: 'prioritized', indexing: false, mayAbort: false, phases: ['leaving'] },
];

/** A server process, and how to ask it and the load process. */
async function startServer({ strategy, mayAbort = true }, { load, startChild }) {
  const args = mayAbort ? [strategy] : [strategy, 'no-abort'];
  const server = startChild(SERVER, args, [...process.execArgv, ...SERVER_ARGUMENTS]);
  const { url, paths, bytes } = await server.answer();
  return {
    bytes,
    pageCount: paths.length,
    ask: (command, options) => server.ask({ command, ...options }),
    visit: async (command, options) =>
      (await load.ask({ command, url, paths, ...options })).result,
  };
}

function append(lists, more) {
  for (const [key, list] of Object.entries(more)) lists[key].push(...list);
}

function add(sums, more) {
  for (const [key, value] of Object.entries(more)) sums[key] = (sums[key] ?? 0) + value;
}

function nameOf({ strategy, indexing, mayAbort = true }) {
  const { name } = strategies[strategy];
  if (!mayAbort) return `${name}, nothing aborted`;
  return indexing ? name : `${name}, no index rebuild`;
}

/** Returns what measures each phase and adds to the raw results; each is called many times. */
function createPhases({ indexing }, server, raw) {
  return {
    /** A single visitor, and no index rebuild. */
    async alone(seconds) {
      append(raw.alone, await server.visit('visitAlone', { seconds }));
    },
    /** As many visitors as the server can take; some leave early. No index rebuild. */
    async leaving(seconds) {
      const before = (await server.ask('count')).times;
      const { pages, elapsed } = await server.visit('visitAndLeave', { seconds });
      const { times } = await server.ask('count');
      add(raw.leaving, { pages, elapsed });
      for (const key of Object.keys(times)) add(raw.leaving, { [key]: times[key] - before[key] });
    },
    /** Visitors who read, with pauses. */
    async reading(seconds) {
      const before = (await server.ask(indexing ? 'start-indexing' : 'count')).added;
      const { elapsed, ...times } = await server.visit('visit', { seconds });
      raw.indexed += (await server.ask('count')).added - before;
      append(raw, times);
      raw.readingMs += elapsed;
      await server.ask('stop-indexing');
    },
    /** As many visitors as the server can take. */
    async saturated(seconds) {
      if (indexing) await server.ask('start-indexing');
      const { pages, elapsed } = await server.visit('saturate', { seconds });
      raw.saturatedPages += pages;
      raw.saturatedMs += elapsed;
      await server.ask('stop-indexing');
    },
  };
}

async function startRow(row, processes) {
  const server = await startServer(row, processes);
  const raw = {
    ...row,
    name: nameOf(row),
    health: [], first: [], complete: [], readingMs: 0, indexed: 0,
    saturatedPages: 0, saturatedMs: 0,
    alone: { first: [], complete: [] },
    leaving: {},
  };
  const phases = createPhases(row, server, raw);
  return {
    raw,
    bytes: server.bytes,
    pageCount: server.pageCount,
    /** Fetches every page a few times, which also warms up the server. */
    async hashes() {
      if (row.indexing) await server.ask('start-indexing');
      const result = await server.visit('hashPages', { times: WARM_UP });
      await server.ask('stop-indexing');
      return result;
    },
    async measure(seconds, turn) {
      for (const phase of row.phases) {
        if (turn > 1 && IN_TWO_TURNS.has(phase)) continue;
        await phases[phase](seconds * SHARES[phase]);
      }
    },
    /** Visitors read, but nothing is measured. */
    async trace(file) {
      await server.ask('start-indexing');
      await server.ask('start-tracing', { file });
      await server.visit('visit', { seconds: TRACED });
      await server.ask('stop-tracing');
      await server.ask('stop-indexing');
    },
  };
}

module.exports = { ROWS, startRow };
