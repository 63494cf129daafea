'use strict';

// The parts of the benchmark: which visitors come to which servers, and how. A cell is a crowd of
// visitors; its rows are the contenders, who all get the same crowd, one after the other.

const { NAMES } = require('./contenders');

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
  return options.parts.flatMap((part) => cells[part]()).map((cell) => ({
    ...cell,
    rows: options.contenders.map((contender) =>
      ({ contender, name: NAMES[contender], runs: [] })),
  }));
}

module.exports = { CALM, PATIENCE, createPlan };
