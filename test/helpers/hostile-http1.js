'use strict';

// Owns the hostile clients of HTTP/1: what each sends and reads, and at which byte it leaves.

const { setTimeout: delay } = require('node:timers/promises');
const { BODY, request, requests } = require('./hostile-requests.js');
const { LEAVINGS, MAX_READ } = require('./hostile-wire.js');

// The text of an ordinary request: with a body only where the method allows one, in chunks or of a
// known length.
function ordinary({ page: { method, path }, host, random }, headers = []) {
  const line = `${method} ${path} HTTP/1.1`;
  const own = [`Host: ${host}`, 'Content-Type: application/json', ...headers];
  if (method === 'GET') return request(line, own);
  if (random.below(2) === 0) return request(line, [...own, `Content-Length: ${BODY.length}`], BODY);
  const chunk = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
  return request(line, [...own, 'Transfer-Encoding: chunked'], chunk);
}

// Sends what `bytesOf(given)` returns, and reads so many bytes of the answer.
const sending = (bytesOf, count = () => 1) => async (given) => {
  await given.wire.write(bytesOf(given));
  await given.wire.receive(count(given.random));
};

const once = ({ ask }) => ask();
const times = (count) => ({ ask }) => Array.from({ length: count }, () => ask()).join('');
const some = (random) => 1 + random.below(MAX_READ);
const endOfHead = (bytes) => bytes.indexOf('\r\n\r\n') + 4;

// A part of a request, which ends in its head or its body.
function part({ random, ask }) {
  const bytes = ask();
  return bytes.slice(0, 1 + random.below(bytes.length - 1));
}

function expectingContinue({ ask }) {
  const bytes = ask(['Expect: 100-continue']);
  return bytes.slice(0, endOfHead(bytes));
}

// The places where a client leaves. `ask(headers)` returns an ordinary request.
const PLACES = [
  function beforeItHasSentAnything() {},
  sending(part, () => 0),
  sending(part),
  // Before the answer, at its first byte, in the middle and at its end.
  sending(once, () => 0),
  sending(once),
  sending(once, some),
  sending(once, () => Infinity),
  async function withoutReadingTheAnswer({ wire, ask }) {
    await wire.write(ask());
    await wire.stall();
  },
];

// Other habits of clients, which leave then.
const MANNERS = [
  sending(times(10), some),
  sending(({ ask }) => [ask(), ask(), 'GET // HTTP/1.1\r\n: \r\n\r\n', ask()].join(''), some),
  sending(expectingContinue),
  async function sendRequestsAndLeaveSoon({ wire, open, random, ask }) {
    for (const each of [wire, open(), open(), open(), open()]) {
      await each.write(times(5)({ ask }));
      await delay(random.below(100));
      await each.leave(random.pick(LEAVINGS));
    }
  },
  async function keepAliveAndStallInARequest({ wire, random, ask }) {
    const bytes = ask();
    await wire.write(bytes);
    await wire.receive(Infinity);
    await wire.write(bytes.slice(0, random.below(bytes.length)));
    await wire.stall();
  },
];

// Yields what sends each of the odd requests.
function* requestsOf(target, random) {
  for (const bytes of requests(target, random)) {
    yield sending(() => bytes, (own) => own.pick([1, 1, 1000, Infinity]));
  }
}

const asking = (run) => (given) => run({ ...given, ask: (headers) => ordinary(given, headers) });

module.exports = { MANNERS: MANNERS.map(asking), PLACES: PLACES.map(asking), requests: requestsOf };
