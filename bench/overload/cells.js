'use strict';

// The measurements: which visitors come to which servers, and how. A cell is a crowd of visitors;
// its rows are the contenders, who all get the same crowd, one after the other.

const { createRows, rowsOfRun } = require('../open-loop');

const { NAMES } = require('./contenders');
const { CLASSES, createVisitors } = require('./visitors');

// Up to this load a server ought to serve everybody. It is measured for longer there, as what is
// rare has to be seen.
const CALM = 0.8;
const LONGER = 3;

// The load of the parts beside 'loads', as a multiple of the capacity.
const OVERLOAD = 2.5;
const BURST = { load: 3, usual: 0.5, before: 3, after: 6 };

// How long a visitor waits, in ms.
const PATIENCE = 1000;
// Visitors of a burst try twice again, after up to 250 and 500 ms.
const RETRYING = { retries: 2, backoff: 250 };

const TRANSPORTS = { connections: 'new', http2: 'http2' };
const TITLES = {
  connections: 'a new connection for each visitor',
  http2: 'HTTP/2',
};

const PAGE = `/${CLASSES[0].name}`;

// How the capacity is measured: so many visitors who ask again at once, so that the server never
// waits for one, for so many seconds.
const SATURATING = { path: PAGE, visitors: 4, seconds: 1.5 };

const times = (load) => `${load} times the capacity`;

function cellOfLoad(part, load, { seconds, warm }) {
  const title = part === 'loads' ? times(load) : `${times(load)}, ${TITLES[part]}`;
  const measured = load > CALM ? seconds : LONGER * seconds;
  return {
    part, title, load,
    transport: TRANSPORTS[part] ?? 'keep-alive',
    phases: [{ load, seconds: warm + measured }],
    habits: { patience: PATIENCE },
    from: warm * 1000,
    until: (warm + measured) * 1000,
  };
}

function cellOfBurst({ burst }) {
  const { load, usual, before, after } = BURST;
  return {
    part: 'burst', load,
    title: `a burst of ${burst} s with ${times(load)}, between ${usual} times; visitors try again`,
    transport: 'keep-alive',
    phases: [
      { load: usual, seconds: before }, { load, seconds: burst }, { load: usual, seconds: after },
    ],
    habits: { patience: PATIENCE, ...RETRYING },
    from: before * 1000,
    until: (before + burst) * 1000,
  };
}

/** The cells of the chosen parts. */
function createPlan(options) {
  const cells = {
    loads: () => options.loads.map((load) => cellOfLoad('loads', load, options)),
    connections: () => [cellOfLoad('connections', OVERLOAD, options)],
    http2: () => [cellOfLoad('http2', OVERLOAD, options)],
    burst: () => [cellOfBurst(options)],
  };
  return options.only.flatMap((part) => cells[part]()).map((cell) =>
    ({ ...cell, rows: createRows(options.contenders, NAMES) }));
}

/** Returns a function that resolves to the pages per second that a server serves. */
function createCapacity({ saturate, startContender }) {
  // Servers that do nothing else, by whether they speak HTTP/2.
  const plain = new Map();
  return async (transport) => {
    const isHttp2 = transport === 'http2';
    if (!plain.has(isHttp2)) {
      plain.set(isHttp2, await startContender({ contender: 'plain', isHttp2 }));
    }
    return saturate(plain.get(isHttp2), transport, SATURATING);
  };
}

/** Lets visitors come to a server of the contender, in the way of a cell. */
const measureRow = (openLoop, contender, { transport, habits }, visitors, seed) =>
  openLoop.measureRow({ contender, isHttp2: transport === 'http2' }, visitors,
    { seed, page: PAGE, transport, habits });

/** Adds a run to each row of a cell. `findCapacity(transport)` resolves to pages per second. */
async function measureCell(cell, { run = 0, step }, openLoop, findCapacity) {
  let capacity = await findCapacity(cell.transport);
  const phases = cell.phases.map(({ load: share, seconds }) =>
    ({ perSecond: share * capacity, seconds }));
  const seed = `${run} ${cell.load}`;
  const visitors = createVisitors(phases, seed);
  for (const { contender, runs } of rowsOfRun(cell, { run, step })) {
    const result = await measureRow(openLoop, contender, cell, visitors, seed);
    // The speed of a processor changes with time on many machines: each row has its own capacity,
    // but all have the same visitors.
    const before = capacity;
    capacity = await findCapacity(cell.transport);
    runs.push({ ...result, capacity: (before + capacity) / 2 });
  }
}

module.exports = {
  CALM, PATIENCE, createCapacity, createPlan, measureCell, measureRow,
};
