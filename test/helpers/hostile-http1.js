'use strict';

// Owns the hostile clients of HTTP/1: what each sends and reads, and at which byte it leaves. And
// the requests that are wrong, odd, or at a limit of Node's: ordinary ones that are changed at
// random. They are strings of Latin-1, so that each character is a byte.

const { setTimeout: delay } = require('node:timers/promises');
const { LEAVINGS, MAX_READ } = require('./hostile-wire.js');

// Node refuses a head that is larger than 16 KiB, and takes 2,000 headers.
const LONG = 'a=b&'.repeat(3_750);
const TOO_LONG = 'a=b&'.repeat(5_000);
const MANY_HEADERS = 'a: \r\n'.repeat(2_010);

// Ways in which a target is no URL, an odd one, or one of another site.
const TARGETS = [
  '//', '//[', '//x:99999/', '\\', '/../../etc/passwd', '%', '%00', '%2F', '%E0%A4%A', '\xff', '#',
  '?%', '?a[b]=1&a=2&__proto__[x]=1', '*', 'http://[', 'http://user:secret@other.example:99999/',
  'javascript:0', '/__proto__', '/constructor', '"', LONG, TOO_LONG,
];

// Headers that are wrong or odd.
const HEADERS = [
  'Expect: 100-continue', 'Expect: nonsense', 'Range: bytes=5-1', 'If-None-Match: "',
  'Cookie: \xff\xfe=\x80; __proto__=1; a="', 'Accept: ,;q=,*/*;q=nan', 'Accept-Language: \xff;q=-1',
  'Accept-Encoding: gzip;q=x,\xff', 'Authorization: Basic \xff', 'Origin: [', 'Referer: http://[',
  'X-Forwarded-For: [', 'X-Forwarded-Host: \xff, %', 'X-Forwarded-Proto: javascript',
  'Content-Type: \xff', 'Content-Type: multipart/form-data', 'Content-Encoding: nonsense',
  'Content-Length: many', 'Content-Length: 3', 'Content-Length: 100000',
  'Transfer-Encoding: chunked', 'Transfer-Encoding: nonsense', 'Connection: close',
  'Connection: Upgrade\r\nUpgrade: websocket', 'TE: trailers', 'Trailer: host',
  'Host: [', 'Host: a b', 'Host: a:99999', 'Host: \xff', 'Host: user@a/b?c#d', 'Next-Action: x',
  'RSC: 1', 'X-Task-Priority: nonsense', '__proto__: x', ': no name', 'no value', 'a\0: b',
  `a: ${LONG}`, `a: ${TOO_LONG}`, MANY_HEADERS,
];

// Texts in the place of a method.
const METHODS = ['HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'PUT', 'M-SEARCH', 'BREW', 'get', ''];

// Of ordinary requests.
const BODY = JSON.stringify({ query: '{ nothing }', name: 'a'.repeat(1000) });

// Bodies as parsers of JSON, forms and GraphQL get them.
const BODIES = [
  '', '{', 'null', '[[]]', '{"query":7}', '{"query":null,"variables":[],"operationName":{}}',
  '{"query":"{month(number:99999999999){name}}"}', '{"__proto__":{"toJSON":1}}', '{"a":1e999}',
  '['.repeat(15_000), `{"query":"${'{a'.repeat(7_500)}"}`, '\xff\xfe\x80', 'a=b&a[]=c', '%=%',
  '--a\r\nContent-Disposition: form-data; name="a"; filename="\xff"\r\n\r\nb', '\x1f\x8b\x08\0',
];
const TYPES = [
  'application/json', 'application/graphql', 'application/x-www-form-urlencoded', 'text/plain',
  'multipart/form-data; boundary=a', 'application/octet-stream',
];

// The number of times that each comes.
const TIMES = 3;

const request = (line, headers, body = '') => `${[line, ...headers].join('\r\n')}\r\n\r\n${body}`;

// Puts a part into a text, or in the place of all of it.
function changed(text, part, random) {
  const at = random.below(text.length + 2) - 1;
  return at < 0 ? part : text.slice(0, at) + part + text.slice(at);
}

// Yields the parts of requests with a fault, for the pages of a site: { method, path, headers,
// body }.
function* faulty(pages, random) {
  const any = () => random.pick(pages);
  for (let i = 0; i < TIMES; i++) {
    for (const part of TARGETS) {
      const { method, path } = any();
      yield { method, path: changed(path, part, random) };
    }
    for (const header of HEADERS) yield { ...any(), headers: [header] };
    for (const method of METHODS) yield { ...any(), method };
    for (const body of BODIES) {
      const headers = [`Content-Type: ${random.pick(TYPES)}`];
      yield { method: 'POST', path: any().path, headers, body };
    }
  }
}

// Yields the text of each, with a header `Host`.
function* faultyTexts({ pages, host }, random) {
  for (const { method, path, headers = [], body } of faulty(pages, random)) {
    // One in four has a second fault.
    const own = random.below(4) === 0 ? [random.pick(HEADERS)] : [`Host: ${host}`];
    const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
    yield request(`${method} ${path} HTTP/1.1`, [...own, ...headers, ...length], body);
  }
  yield random.bytes(500);
  yield request(`GET ${random.pick(pages).path} HTTP/1.1`, [random.bytes(200)]);
}

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
  for (const bytes of faultyTexts(target, random)) {
    yield sending(() => bytes, (own) => own.pick([1, 1, 1000, Infinity]));
  }
}

const asking = (run) => (given) => run({ ...given, ask: (headers) => ordinary(given, headers) });

module.exports = {
  BODY, MANNERS: MANNERS.map(asking), PLACES: PLACES.map(asking), requests: requestsOf,
};
