'use strict';

// Owns the attack on a server by clients that behave badly: in which order they come, how many at
// once, and for how long each may stay. The same seed sends the same bytes.

const http1 = require('./hostile-http1.js');
const http2 = require('./hostile-http2.js');
const { LEAVINGS, Random, Wire } = require('./hostile-wire.js');

const PROTOCOLS = { http1, http2 };

const REFUSED = /^ERR_(HTTP2|INVALID)_/;

// The longest that a client may take in all, in ms.
const LIMIT = 10_000;

// Yields each client: a function of { wire, open, random, page, host }, which is called with a
// connection and may open others; how it leaves, and the page that it asks for.
function* clientsOf({ MANNERS, PLACES, requests = () => [] }, target, random) {
  for (const run of requests(target, random)) yield [run];
  for (const page of target.pages) {
    for (const run of PLACES) {
      for (const how of LEAVINGS) yield [run, how, page];
    }
    for (const run of MANNERS) yield [run, undefined, page];
  }
}

// A page as the options name it: `/page` or `POST /page`.
function toPage(text) {
  const [, method = 'GET', path] = /^(?:([A-Z]+) )?(.+)$/s.exec(text);
  return { method, path };
}

// One client from its beginning to its end: no connection of it stays open.
async function runClient([run, how, page], { counts, target, random, patience }) {
  const wires = [];
  let isLate = false;
  const open = () => {
    const wire = new Wire(target, patience);
    wires.push(wire);
    if (isLate) wire.destroy();
    return wire;
  };
  // Everything that it waits for ends with its connections.
  const late = setTimeout(() => {
    isLate = true;
    for (const wire of wires) wire.destroy();
  }, LIMIT);
  const wire = open();
  try {
    await run({ wire, open, random, page, host: target.host });
  } catch (error) {
    // Node's client refuses some requests itself, and all on a session that has ended.
    if (!REFUSED.test(error.code)) throw error;
  }
  await wire.leave(how ?? random.pick(LEAVINGS));
  clearTimeout(late);
  await Promise.all(wires.map((each) => each.destroy()));
  for (const { error, status = 'none' } of wires) {
    counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
    if (error?.code === 'ECONNREFUSED') counts.refused += 1;
  }
}

/**
 * Lets every hostile client of a protocol come once.
 *
 * `pages` are those of the site, such as `/` and `POST /orders`. `patience` is for how many
 * milliseconds a client waits for the first byte of an answer. Resolves when all have left, to
 * counts: how many connections the server has refused, and how often each status was the first
 * answer on a connection.
 */
async function attack(url, options) {
  const { seed = 1, protocol = 'http1', pages, atOnce = 8, patience = 100 } = options;
  const { hostname, host, port } = new URL(url);
  const target = { address: hostname, port: Number(port), host, pages: pages.map(toPage) };
  const counts = { refused: 0, statuses: {} };
  const random = new Random(seed);
  // Each has its own numbers, in whichever order they come.
  const waiting = Array.from(clientsOf(PROTOCOLS[protocol], target, random), (client, i) => {
    const own = new Random(seed * 10_000 + i);
    const run = () => runClient(client, { counts, target, random: own, patience });
    return { place: random.below(1e6), run };
  }).sort((a, b) => a.place - b.place);
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (waiting.length > 0) await waiting.pop().run();
  }));
  return counts;
}

module.exports = { attack };
