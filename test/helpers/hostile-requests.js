'use strict';

// Owns the requests that are wrong, odd, or at a limit of Node's: ordinary ones that are changed at
// random. They are strings of Latin-1, so that each character is a byte.

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

// Yields each request, with a header `Host`.
function* requests({ pages, host }, random) {
  for (const { method, path, headers = [], body } of faulty(pages, random)) {
    // One in four has a second fault.
    const own = random.below(4) === 0 ? [random.pick(HEADERS)] : [`Host: ${host}`];
    const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
    yield request(`${method} ${path} HTTP/1.1`, [...own, ...headers, ...length], body);
  }
  yield random.bytes(500);
  yield request(`GET ${random.pick(pages).path} HTTP/1.1`, [random.bytes(200)]);
}

module.exports = { BODY, faulty, request, requests };
