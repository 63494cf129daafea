'use strict';

// Owns the attack on a server by clients that behave badly: in which order they come, how many at
// once, and for how long each may stay. The same seed sends the same bytes.

const http1 = require('./hostile-http1.js');
const http2 = require('./hostile-http2.js');
const { LEAVINGS, MAX_READ, Random, Wire } = require('./hostile-wire.js');

const PROTOCOLS = { http1, http2 };

// Where a client leaves: each is called with a wire, and the bytes of an ordinary request.
const PLACES = {
  'before it has sent anything': () => {},
  'before the answer': (wire, bytes) => wire.write(bytes),
  'in the middle of the answer': async (wire, bytes, random) => {
    await wire.write(bytes);
    await wire.receive(1 + random.below(MAX_READ));
  },
  // With HTTP/2, when the window of a long one is used up.
  'after the answer': async (wire, bytes) => {
    await wire.write(bytes);
    await wire.receive(Infinity);
  },
  'without reading the answer': async (wire, bytes) => {
    await wire.write(bytes);
    await wire.stall();
  },
};

// Opens a connection, does something with it, and leaves.
const client = (go, how) => async ({ open, random }) => {
  const wire = open();
  await go(wire, random);
  await wire.leave(how ?? random.pick(LEAVINGS));
};

// Yields each client: its name, and a function that does what it does with { open, random,
// target }. The function resolves when all its connections are closed, or `open` has closed them.
function* clientsOf(protocol, target, random) {
  const { BEGIN, MANNERS, ordinary, requests, PLACES: places } = PROTOCOLS[protocol];
  const { host, pages } = target;
  for (const [name, bytes] of requests(target, random)) {
    yield [name, client(async (wire, random) => {
      await wire.write(BEGIN + bytes);
      await wire.receive(random.pick([1, 1, 1000, Infinity]));
    })];
  }
  for (const page of pages) {
    for (const [place, go] of Object.entries({ ...PLACES, ...places })) {
      for (const how of LEAVINGS) {
        yield [`${how} ${place}: ${page.path}`, client((wire, random) => {
          return go(wire, BEGIN + ordinary(page, host, random), random);
        }, how)];
      }
    }
    for (const [name, run] of Object.entries(MANNERS)) {
      yield [`${name}: ${page.path}`, (given) => run({ ...given, page })];
    }
  }
}

// A page as the options name it: `/page` or `POST /page`.
function toPage(text) {
  const [, method = 'GET', path] = /^(?:([A-Z]+) )?(.+)$/s.exec(text);
  return { method, path };
}

// One client from its beginning to its end: no connection of it stays open.
async function runClient(run, client, { counts, limit, ...manners }) {
  const wires = [];
  let isLate = false;
  const open = () => {
    const wire = new Wire(client.target, manners);
    wires.push(wire);
    if (isLate) wire.destroy();
    return wire;
  };
  // Everything that it waits for ends with its connections.
  const late = setTimeout(() => {
    isLate = true;
    for (const wire of wires) wire.destroy();
  }, limit);
  try {
    await run({ ...client, open });
  } finally {
    clearTimeout(late);
    await Promise.all(wires.map((wire) => wire.destroy()));
  }
  counts.clients += 1;
  counts.connections += wires.length;
  if (isLate) counts.late += 1;
  for (const { error, status = 'none' } of wires) {
    counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
    if (error?.code === 'ECONNREFUSED') counts.refused += 1;
  }
}

/**
 * Lets every hostile client of a protocol come once in each round.
 *
 * `pages` are those of the site, such as `/` and `POST /orders`; `only`, a regular expression,
 * selects clients by their names. `patience` is for how many milliseconds a client waits for the
 * first byte of an answer, and `limit` how many it may take in all. Resolves when all have left, to
 * counts: how many clients and connections there were, how many of these the
 * server has refused, how many clients it has kept until the limit, and how often each status was
 * the first answer on a connection.
 */
async function attack(url, options = {}) {
  const { seed = 1, rounds = 1, protocol = 'http1', pages = ['/'], only = /^/ } = options;
  const { atOnce = 8, limit = 10_000, patience = 100 } = options;
  const { statusOf } = PROTOCOLS[protocol];
  const { hostname, host, port } = new URL(url);
  const target = { address: hostname, port: Number(port), host, pages: pages.map(toPage) };
  const counts = { clients: 0, connections: 0, refused: 0, late: 0, statuses: {} };
  for (let round = 0; round < rounds; round++) {
    const random = new Random(`${seed} ${round}`);
    const waiting = random.shuffled([...clientsOf(protocol, target, random)]);
    const lane = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const [name, run] = next;
        if (!only.test(name)) continue;
        // Each has its own numbers, whichever others come.
        const client = { target, random: new Random(`${seed} ${round} ${name}`) };
        await runClient(run, client, { counts, limit, patience, statusOf });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
  }
  return counts;
}

module.exports = { attack, clientsOf };
