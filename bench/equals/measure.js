'use strict';

// Measures the rows: starts a server of a contender, sends it the requests of its cell, and ends
// it. The load comes from another processor.

const path = require('node:path');

const { bound, chooseProcessors } = require('../processors');

const { WORKLOADS, createRequests } = require('./requests');

const LOAD = path.join(__dirname, '..', 'overload', 'load.js');
const SERVER = path.join(__dirname, 'server.js');

// Nobody leaves, in ms.
const PATIENCE = 120_000;

function createMeasure({ startChild }) {
  const processors = chooseProcessors();
  const ask = async (child, message) => (await child.ask(message)).result;

  function startNode(file, args, place) {
    const [program, rest] = bound(place, process.execPath, process.execArgv);
    return startChild(file, args, rest, program);
  }

  const load = startNode(LOAD, [], processors.load);

  /** Sends the requests to a server of the contender. */
  async function measureRow(contender, workload, requests) {
    const options = JSON.stringify({ contender, workload });
    const server = startNode(SERVER, [options], processors.one);
    const { url } = await server.answer();
    try {
      const path = `/${WORKLOADS[workload].kinds[0].name}`;
      await ask(load, { command: 'open', url, transport: 'keep-alive', path });
      const before = await ask(server, { command: 'read' });
      const { results, lateness } = await ask(
        load, { command: 'arrive', visitors: requests, seed: '', patience: PATIENCE });
      const after = await ask(server, { command: 'read' });
      return {
        results, lateness,
        waiting: before.waiting === null ? null : after.waiting - before.waiting,
      };
    } finally {
      await server.end();
    }
  }

  /** Adds a run to each row of a cell. `step(name)` is called before each one. */
  async function measureCell(cell, { run, step }) {
    const { workload, load: share, seconds } = cell;
    const seed = `${run} ${workload} ${share}`;
    const requests = createRequests(WORKLOADS[workload], { load: share, seconds, seed });
    for (const row of run % 2 === 0 ? cell.rows : [...cell.rows].reverse()) {
      step(row.name);
      row.runs.push({ requests, ...await measureRow(row.contender, workload, requests) });
    }
  }

  return {
    measureCell,
    measureRow,
    pinned: processors.one !== null,
    end: () => load.end(),
  };
}

module.exports = { createMeasure };
