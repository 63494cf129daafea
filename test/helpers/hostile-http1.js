'use strict';

// Owns the hostile clients of HTTP/1: what each sends and reads, and at which byte it leaves.

const { setTimeout: delay } = require('node:timers/promises');
const { BODY, request, requests } = require('./hostile-requests.js');
const { LEAVINGS, MAX_READ } = require('./hostile-wire.js');

const MAX_DELAY = 100;

// The text of an ordinary request: with a body only where the method allows one, in chunks or of a
// known length.
function ordinary({ page: { method, path }, host, random }, headers = []) {
  const line = `${method} ${path} HTTP/1.1`;
  const own = [`Host: ${host}`, 'Content-Type: application/json', ...headers];
  if (method === 'GET') return request(line, own);
  if (random.below(2) === 0) return request(line, [...own, `Content-Length: ${BODY.length}`], BODY);
  const half = BODY.length >> 1;
  const chunks = [BODY.slice(0, half), BODY.slice(half), '']
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return request(line, [...own, 'Transfer-Encoding: chunked'], chunks.join(''));
}

const asked = (count) => async ({ wire, random, ask }) => {
  await wire.write(ask());
  await wire.receive(count(random));
};

// The places where a client leaves. `ask(headers)` returns an ordinary request.
const PLACES = [
  function beforeItHasSentAnything() {},
  function inTheHead({ wire, random, ask }) {
    const bytes = ask();
    return wire.write(bytes.slice(0, 1 + random.below(bytes.indexOf('\r\n\r\n') + 3)));
  },
  async function inTheBody({ wire, random, ask }) {
    const bytes = ask();
    const begin = bytes.indexOf('\r\n\r\n') + 4;
    await wire.write(bytes.slice(0, begin + random.below(Math.max(1, bytes.length - begin))));
    await wire.receive(1);
  },
  function beforeTheAnswer({ wire, ask }) {
    return wire.write(ask());
  },
  // At its first byte, in the middle and at its end.
  asked(() => 1),
  asked((random) => 1 + random.below(MAX_READ)),
  asked(() => Infinity),
  async function withoutReadingTheAnswer({ wire, ask }) {
    await wire.write(ask());
    await wire.stall();
  },
];

// Other habits of clients, which leave then.
const MANNERS = [
  async function sendByteByByte({ wire, ask }) {
    await wire.writeByteByByte(ask());
    await wire.receive(MAX_READ);
  },
  async function sendRequestsWithoutWaiting({ wire, random, ask }) {
    await wire.write(Array.from({ length: 10 }, () => ask()).join(''));
    await wire.receive(1 + random.below(2 * MAX_READ));
  },
  async function sendRequestsAndLeaveSoon({ wire, open, random, ask }) {
    for (const each of [wire, open(), open(), open(), open()]) {
      await each.write(Array.from({ length: 5 }, () => ask()).join(''));
      await delay(random.below(MAX_DELAY));
      await each.leave(random.pick(LEAVINGS));
    }
  },
  async function sendRequestsAndABrokenOne({ wire, random, ask }) {
    await wire.write([ask(), ask(), 'GET // HTTP/1.1\r\n: \r\n\r\n', ask()].join(''));
    await wire.receive(1 + random.below(MAX_READ));
  },
  async function keepAliveAndStallInARequest({ wire, random, ask }) {
    const bytes = ask();
    await wire.write(bytes);
    await wire.receive(Infinity);
    await wire.write(bytes.slice(0, random.below(bytes.length)));
    await wire.stall();
  },
  async function neverRead({ wire, ask }) {
    wire.socket.pause();
    for (let i = 0; i < 20; i++) await wire.write(ask());
    await wire.stall();
  },
  async function expectContinueAndSendNoBody({ wire, ask }) {
    const bytes = ask(['Expect: 100-continue']);
    await wire.write(bytes.slice(0, bytes.indexOf('\r\n\r\n') + 4));
    await wire.receive(1);
  },
  async function resetManyConnections({ wire, open, ask }) {
    const wires = [wire, ...Array.from({ length: 19 }, open)];
    for (const each of wires) await each.write(ask());
    for (const each of wires) await each.leave('resets');
  },
];

// Yields what sends each of the odd requests.
function* requestsOf(target, random) {
  for (const bytes of requests(target, random)) {
    yield async ({ wire, random: own }) => {
      await wire.write(bytes);
      await wire.receive(own.pick([1, 1, 1000, Infinity]));
    };
  }
}

const asking = (run) => (given) =>
  run({ ...given, ask: (headers) => ordinary(given, headers) });

module.exports = {
  MANNERS: MANNERS.map(asking), PLACES: PLACES.map(asking), requests: requestsOf,
};
