'use strict';

// Measures the rows: starts a server of a contender, lets visitors arrive there, and ends it. The
// load comes from another processor.

const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { bound, chooseProcessors } = require('../processors');

const { CLASSES, createVisitors } = require('./visitors');

const LOAD = path.join(__dirname, 'load.js');
const SERVER = path.join(__dirname, 'server.js');

const PATH = `/${CLASSES[0].name}`;

// How the capacity is measured: so many visitors who ask again at once, so that the server never
// waits for one, for so many seconds.
const SATURATING = { path: PATH, visitors: 4, seconds: 1.5 };

// Until visitors who have left are forgotten, in ms.
const PAUSE = 200;

function createMeasure({ startChild }) {
  const processors = chooseProcessors();
  const ask = async (child, message) => (await child.ask(message)).result;

  function startNode(file, args, place) {
    const [program, rest] = bound(place, process.execPath, process.execArgv);
    return startChild(file, args, rest, program);
  }

  async function startServer(options) {
    const child = startNode(SERVER, [JSON.stringify(options)], processors.one);
    const { url } = await child.answer();
    return { url, read: () => ask(child, { command: 'read' }), end: () => child.end() };
  }

  const load = startNode(LOAD, [], processors.load);
  // Servers that do nothing else, by whether they speak HTTP/2.
  const plain = new Map();

  /** Resolves to the pages per second that such a server can serve over that transport. */
  async function measureCapacity(transport) {
    const isHttp2 = transport === 'http2';
    if (!plain.has(isHttp2)) plain.set(isHttp2, await startServer({ contender: 'plain', isHttp2 }));
    await ask(load, { command: 'open', url: plain.get(isHttp2).url, transport, path: PATH });
    return ask(load, { command: 'saturate', ...SATURATING });
  }

  /** Lets visitors come to a server of the contender, in the way of a cell. */
  async function measureRow(contender, { transport, habits }, visitors, seed) {
    const server = await startServer({ contender, isHttp2: transport === 'http2' });
    try {
      await ask(load, { command: 'open', url: server.url, transport, path: PATH });
      const before = await server.read();
      const { results, lateness } = await ask(
        load, { command: 'arrive', visitors, seed, ...habits });
      const after = await server.read();
      return {
        results, lateness,
        // Of a server that always waits or works, this is the part that others took.
        waiting: before.waiting === null ? null : after.waiting - before.waiting,
      };
    } finally {
      await server.end();
      await sleep(PAUSE);
    }
  }

  /**
   * Adds a run to each row of a cell. `step(name)` is called before each one. The capacity is
   * measured unless it is given.
   */
  async function measureCell(cell, { run = 0, step, capacity: given }) {
    const findCapacity = () => given ?? measureCapacity(cell.transport);
    let capacity = await findCapacity();
    const phases = cell.phases.map(({ load: times, seconds }) =>
      ({ perSecond: times * capacity, seconds }));
    const seed = `${run} ${cell.load}`;
    const visitors = createVisitors(phases, seed);
    for (const row of run % 2 === 0 ? cell.rows : [...cell.rows].reverse()) {
      step(row.name);
      const result = await measureRow(row.contender, cell, visitors, seed);
      // What a processor can do changes with time on many machines: each row has its own capacity,
      // but all have the same visitors.
      const before = capacity;
      capacity = await findCapacity();
      row.runs.push({ ...result, visitors, capacity: (before + capacity) / 2 });
    }
  }

  return {
    measureCell,
    measureRow,
    pinned: processors.one !== null,
    /** Ends the processes that are still there. */
    async end() {
      await Promise.all(Array.from(plain.values(), (server) => server.end()));
      await load.end();
    },
  };
}

module.exports = { createMeasure };
