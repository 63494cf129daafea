'use strict';

// Owns what hostile clients of HTTP/1 send: requests that are wrong, odd, or at a limit of Node's,
// each by a name. They are strings of Latin-1, so that each character is a byte.

// Node refuses a head that is larger than 16 KiB, and takes 2,000 headers.
const ALMOST_TOO_LONG = 15_000;
const TOO_LONG = 20_000;
const MAX_HEADERS = 2000;

const repeat = (text, length) => text.repeat(Math.ceil(length / text.length));

// Where a request line may lead: to no URL, to odd ones, and almost to the pages of a site.
const TARGETS = [
  '//', '///', '//[', '//@', '//other.example', '//x:99999/', '/\\', '\\', '/..', '/%2e%2e/%2e%2e/',
  '/../../etc/passwd', '/%2F%2F', '/%5C', '/%', '/%2', '/%00', '/%ZZ', '/%E0%A4%A', '/%FF', '/\xff',
  '/?', '/?%', '/?q=%E0%A4%A', '/?a[b]=1&a=2&__proto__[x]=1', '/?=&&=;', '/;a=b', '/#', '#', '?',
  '*', '.', 'health', 'http://[', 'http://', 'http://[::1', 'http://%/', 'http://other.example',
  'http://other.example/', 'http://user:secret@other.example:99999/', 'https://other.example//',
  'javascript:0', 'file:///etc/passwd', '/__proto__', '/constructor', '/toString', '/:', '/{}', '/!',
  '/<script>', '/"', "/'", '/|', '/^', '/`', '/$1', '/%c0%af', '/%u0041', '/.well-known/', '/~',
];
const LONG_TARGETS = {
  'a long path': `/${repeat('a', ALMOST_TOO_LONG)}`,
  'a path that is too long': `/${repeat('a', TOO_LONG)}`,
  'a path of slashes': repeat('/', ALMOST_TOO_LONG),
  'a path of escapes': `/${repeat('%2F', ALMOST_TOO_LONG)}`,
  'a long query': `/?${repeat('a=b&', ALMOST_TOO_LONG)}`,
  'a query of brackets': `/?a${repeat('[b]', ALMOST_TOO_LONG)}=c`,
};
const BESIDE_PAGES = {
  'a page behind two slashes': (page) => `/${page}`,
  'a page and a slash': (page) => `${page}/`,
  'a page and a broken escape': (page) => `${page}%`,
  'a page and a broken character': (page) => `${page}/%E0%A4%A`,
  'a page and a byte': (page) => `${page}\xff`,
  'a page and a broken query': (page) => `${page}${page.includes('?') ? '&' : '?'}%=%E0%A4%A`,
  'a page and a hash': (page) => `${page}#%`,
  'a page of another site': (page) => `http://other.example${page}`,
  'a page of no site': (page) => `http://[${page}`,
};

const METHODS = [
  'HEAD', 'OPTIONS', 'TRACE', 'DELETE', 'PATCH', 'PUT', 'PROPFIND', 'M-SEARCH', 'QUERY', 'BREW',
  'get', 'G\xcbT', '',
];

// Lines that are no request line, or one of another version.
const LINES = [
  'OPTIONS * HTTP/1.1', 'HEAD * HTTP/1.1', 'CONNECT * HTTP/1.1', 'CONNECT / HTTP/1.1',
  'GET / HTTP/1.0', 'GET / HTTP/0.9', 'GET / HTTP/1.2', 'GET / HTTP/2.0', 'PRI * HTTP/2.0',
  'GET / HTTP/1.1 HTTP/1.1', 'GET /', 'GET', 'GET  /  HTTP/1.1', 'GET\t/\tHTTP/1.1',
  'GET / http/1.1', '\r\n\r\nGET / HTTP/1.1', 'GET /\rHost: a HTTP/1.1', 'GET /\0 HTTP/1.1',
  'HTTP/1.1 200 OK', ': HTTP/1.1',
];

// Headers that are wrong or odd.
const HEADERS = [
  'Expect: 100-continue', 'Expect: nonsense', 'Expect:',
  'Range: bytes=-', 'Range: bytes=5-1', 'Range: bytes=0-0,-1,99999999999999999999-', 'Range: \xff',
  'If-Range: \xff', 'If-None-Match: "', 'If-None-Match: *', 'If-Modified-Since: never',
  'Cookie: \xff\xfe=\x80', 'Cookie: =;;=;%E0%A4%A=%', 'Cookie: __proto__=1; a="',
  'Cookie: {}[]()<>@,', 'Accept: \xff', 'Accept: ,;q=,*/*;q=nan', 'Accept-Language: \xff;q=-1',
  'Accept-Language: zz-zz-\0', 'Accept-Encoding: gzip;q=x,\xff', 'Accept-Charset: %',
  'User-Agent:', 'User-Agent: \xff bot', 'Authorization: Basic \xff', 'Authorization: Bearer',
  'Origin: null', 'Origin: [', 'Origin: \xff', 'Referer: http://[', 'X-Forwarded-For: [',
  'X-Forwarded-Host: [', 'X-Forwarded-Host: \xff, %', 'X-Forwarded-Proto: javascript',
  'X-Forwarded-Port: -1', 'Forwarded: for="', 'Via: \xff', 'X-HTTP-Method-Override: BREW',
  'Content-Type: \xff', 'Content-Type: multipart/form-data',
  'Content-Type: application/json; charset=\xff', 'Content-Encoding: nonsense',
  'Connection: keep-alive, upgrade, \xff', 'Connection: host', 'Keep-Alive: timeout=-1',
  'TE: trailers', 'Trailer: host', 'Transfer-Encoding: nonsense', 'Upgrade: websocket',
  'Max-Forwards: -1', 'Next-Action: x', 'Next-Router-State-Tree: %', 'RSC: 1',
  'X-Middleware-Subrequest: \xff', 'X-Task-Priority: nonsense', '__proto__: x', 'constructor: x',
  ': no name', 'no value', ' folded: a', 'a b: c', 'a\0: b', 'a: \0', 'a: b\rc: d',
  `a: ${repeat('b', ALMOST_TOO_LONG)}`, `a: ${repeat('b', TOO_LONG)}`,
  `Cookie: ${repeat('a=b; ', ALMOST_TOO_LONG)}`,
];

const HOSTS = [
  [], ['Host:'], ['Host: ['], ['Host: [::1'], ['Host: a b'], ['Host: a:99999'], ['Host: a:b'],
  ['Host: \xff'], ['Host: user@a'], ['Host: a/b?c#d'], ['Host: %'], ['Host: a,b'], ['Host: ..'],
  ['Host: http://a/'], [`Host: ${repeat('a', ALMOST_TOO_LONG)}`], ['Host: a', 'Host: b'],
];

const manyHeaders = (count) => Array.from({ length: count }, (_, i) => `${i.toString(36)}: `);
const FLOODS = {
  'as many headers as there may be': manyHeaders(MAX_HEADERS - 2),
  'more headers than there may be': manyHeaders(MAX_HEADERS + 10),
  'the same header again and again': Array(500).fill('Cookie: a=b'),
  'many hosts of proxies': Array(300).fill('X-Forwarded-For: 127.0.0.1, ::1'),
};

// Of ordinary requests.
const BODY = JSON.stringify({ query: '{ nothing }', name: 'a'.repeat(1000) });

// Bodies as parsers of JSON, forms and GraphQL get them.
const BODIES = [
  '', ' ', '{', '}', 'null', '7', '"', '[]', '[[]]', '{}', '{"query":7}', '{"query":"{"}',
  '{"query":"{ nothing }"}', '{"query":null,"variables":[],"operationName":{}}', '[{"query":"{"}]',
  '{"query":"query($a:Int!){month(number:$a){name}}","variables":{"a":{}}}',
  '{"query":"{month(number:99999999999){name}}"}', '{"__proto__":{"toJSON":1}}', '{"a":1e999}',
  repeat('[', ALMOST_TOO_LONG), `{"query":"${repeat('{a', ALMOST_TOO_LONG)}"}`,
  '\xff\xfe\x80', '\0', '{"query":"\0"}', 'a=b&a[]=c&a[d]=e&__proto__[f]=g', '%=%E0%A4%A',
  '--a\r\n\r\n', '--a\r\nContent-Disposition: form-data; name="a"; filename="\xff"\r\n\r\nb',
  '\x1f\x8b\x08\0 no gzip',
];
const TYPES = [
  'application/json', 'application/graphql', 'application/x-www-form-urlencoded', 'text/plain',
  'multipart/form-data; boundary=a', 'application/octet-stream', undefined,
];

// Bodies whose length is not what the head says. Each is what stands behind `POST … HTTP/1.1`.
const FRAMES = {
  'a negative length': 'Content-Length: -1\r\n\r\n',
  'a length that is no number': 'Content-Length: many\r\n\r\nabc',
  'a length that is too large': 'Content-Length: 99999999999999999999\r\n\r\nabc',
  'a length with a sign': 'Content-Length: +3\r\n\r\nabc',
  'two lengths': 'Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc',
  'less than its length': 'Content-Length: 1000\r\n\r\nabc',
  'more than its length': 'Content-Length: 3\r\n\r\nabcdef',
  'a length and chunks':
    'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'chunks of an unknown coding':
    'Transfer-Encoding: chunked, nonsense\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'a chunk without a length': 'Transfer-Encoding: chunked\r\n\r\nabc\r\n0\r\n\r\n',
  'a chunk that is too short': 'Transfer-Encoding: chunked\r\n\r\n9\r\nabc\r\n0\r\n\r\n',
  'a chunk that is too long': 'Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n',
  'a chunk of a huge length': 'Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc\r\n',
  'a chunk with a long extension':
    `Transfer-Encoding: chunked\r\n\r\n3;${repeat('a', TOO_LONG)}\r\nabc\r\n0\r\n\r\n`,
  'chunks without an end': 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
  'trailers': 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nHost: a\r\n__proto__: b\r\n\r\n',
  'broken trailers': 'Transfer-Encoding: chunked\r\n\r\n0\r\n: a\r\nb\r\n\r\n',
  'a length and `Expect`': 'Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc',
  'a length and no body behind `Expect`': 'Expect: 100-continue\r\nContent-Length: 3\r\n\r\n',
};

// Protocols that are not HTTP/1.
const PROTOCOLS = {
  'an upgrade to WebSocket': 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n'
    + 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
    + 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x81\xff\0',
  'an upgrade to HTTP/2': 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\n'
    + 'Upgrade: h2c\r\nHTTP2-Settings: \xff\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an upgrade to nonsense with a body': 'POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n'
    + 'Upgrade: nonsense\r\nContent-Length: 5\r\n\r\nabc',
  'CONNECT': 'CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n\x16\x03\x01',
  'CONNECT to no port': 'CONNECT other.example:99999 HTTP/1.1\r\nHost: a\r\n\r\n',
  'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
  'TLS': '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  'PROXY': 'PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'line ends alone': '\r\n'.repeat(1000),
};

// How a name shows what is sent.
const shown = (text) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

const request = (line, headers, body = '') => `${[line, ...headers].join('\r\n')}\r\n\r\n${body}`;

// Each request by its name, for the pages of a site: { method, path }, and a header `Host`.
function* requests({ pages, host }, random) {
  const own = [`Host: ${host}`];
  const ends = [...own, 'Connection: close'];
  const any = () => random.pick(pages);
  const lineOf = ({ method, path }) => `${method} ${path} HTTP/1.1`;

  for (const target of TARGETS) {
    yield [`GET ${shown(target)}`, request(`GET ${target} HTTP/1.1`, ends)];
    yield [`POST ${shown(target)}`, request(`POST ${target} HTTP/1.1`, own)];
  }
  for (const [name, target] of Object.entries(LONG_TARGETS)) {
    yield [name, request(`GET ${target} HTTP/1.1`, own)];
  }
  for (const page of pages) {
    for (const [name, change] of Object.entries(BESIDE_PAGES)) {
      const { method, path } = page;
      yield [`${name}: ${path}`, request(`${method} ${change(path)} HTTP/1.1`, ends)];
    }
    for (const method of METHODS) {
      yield [`${shown(method)} ${page.path}`, request(`${method} ${page.path} HTTP/1.1`, own)];
    }
  }
  for (const line of LINES) yield [shown(line), request(line, own)];
  for (const header of HEADERS) yield [shown(header), request(lineOf(any()), [...own, header])];
  for (const hosts of HOSTS) {
    const headers = [...hosts, 'Connection: close'];
    yield [`hosts: ${shown(hosts.join())}`, request(lineOf(any()), headers)];
  }
  for (const [name, headers] of Object.entries(FLOODS)) {
    yield [name, request(lineOf(any()), [...own, ...headers])];
  }
  yield* requestsWithBodies(pages, own, random);
  yield* Object.entries(PROTOCOLS);
  yield ['random bytes', random.bytes(500).toString('latin1')];
  yield ['a head of random bytes', request(lineOf(any()), [random.bytes(200).toString('latin1')])];
}

function* requestsWithBodies(pages, own, random) {
  const posts = pages.filter(({ method }) => method !== 'GET');
  const targets = posts.length > 0 ? posts : [{ method: 'POST', path: random.pick(pages).path }];
  for (const { method, path } of targets) {
    const line = `${method} ${path} HTTP/1.1`;
    for (const [index, body] of BODIES.entries()) {
      const type = random.pick(TYPES);
      const types = type === undefined ? [] : [`Content-Type: ${type}`];
      const headers = [...own, ...types, `Content-Length: ${body.length}`];
      yield [`body ${index} as ${type} to ${path}`, request(line, headers, body)];
    }
    for (const [name, rest] of Object.entries(FRAMES)) {
      yield [`${name} to ${path}`, `${[line, ...own].join('\r\n')}\r\n${rest}`];
    }
  }
}

module.exports = {
  BESIDE_PAGES,
  BODIES,
  BODY,
  HEADERS,
  LONG_TARGETS,
  TARGETS,
  request,
  requests,
  shown,
};
