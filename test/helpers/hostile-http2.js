'use strict';

// Owns the hostile clients of HTTP/2: what each sends and reads, and at which byte it leaves.

const frames = require('./hostile-frames.js');
const { BESIDE_PAGES, BODIES, BODY, HEADERS, LONG_TARGETS, TARGETS, shown } =
  require('./hostile-requests.js');
const { LEAVINGS, MAX_READ } = require('./hostile-wire.js');

const { END_STREAM, PREFACE, bigEndian, data, frame, goAway, headers, reset, settings } = frames;

const WHOLE = END_STREAM | frames.END_HEADERS;

// A setting, and the largest of its values.
const INITIAL_WINDOW_SIZE = 4;
const MAX_WINDOW = 2 ** 31 - 1;

const BEGIN = PREFACE + settings();

const pseudo = (method, path, authority) => [
  [':method', method], [':scheme', 'http'], [':path', path], [':authority', authority],
];

// The frames of an ordinary request: with a body only where the method allows one.
function ordinary({ method, path }, host, stream = 1, more = []) {
  const own = [...pseudo(method, path, host), ...more];
  if (method === 'GET' || method === 'HEAD') return headers(stream, own);
  const type = ['content-type', 'application/json'];
  return headers(stream, [...own, type], 0) + data(stream, BODY);
}

// Streams of clients have odd numbers.
const streams = (count) => Array.from({ length: count }, (_, i) => 2 * i + 1);

// Ways in which a client can change the pseudo-headers of a request.
const PSEUDO = {
  'no method': (own) => own.filter(([name]) => name !== ':method'),
  'no path': (own) => own.filter(([name]) => name !== ':path'),
  'no scheme': (own) => own.filter(([name]) => name !== ':scheme'),
  'no authority': (own) => own.filter(([name]) => name !== ':authority'),
  'an empty path': (own) => own.map(([name, value]) => [name, name === ':path' ? '' : value]),
  'two paths': (own) => [...own, [':path', '/']],
  'a header before the path': (own) => [['a', 'b'], ...own],
  'an unknown one': (own) => [...own, [':x', 'y']],
  'a status': (own) => [...own, [':status', '200']],
  'a protocol': (own) => [...own, [':protocol', 'websocket']],
  'a host beside the authority': (own) => [...own, ['host', 'other.example']],
};

// Headers that HTTP/1 has no counterpart of, or that have another meaning here.
const OWN_HEADERS = [
  ['Upper-Case', 'a'], ['connection', 'close'], ['transfer-encoding', 'chunked'], ['te', 'gzip'],
  ['', 'no name'], ['a', 'b\0c'], ['a', 'b\r\nc: d'], ['content-length', '-1'],
  ['content-length', '1000'], ['cookie', 'a'.repeat(15_000)], ['a', 'b'.repeat(60_000)],
];

// Whole connections of broken frames, each behind the preface and the settings.
const BROKEN = {
  'data on stream 0': () => data(0, 'a'),
  'data on a stream that is not open': () => data(5, 'a'),
  'data behind the end': (page, host) => ordinary(page, host) + data(1, 'a'),
  'padding longer than its frame': (page, host) => {
    const open = headers(1, pseudo('POST', page.path, host), 0);
    return open + frame(frames.DATA, frames.PADDED, 1, '\xffa');
  },
  'an even stream': (page, host) => headers(2, pseudo('GET', page.path, host)),
  'streams that count down': (page, host) => {
    return [9, 7, 5].map((stream) => headers(stream, pseudo('GET', page.path, host))).join('');
  },
  'the same stream twice': (page, host) => ordinary(page, host) + ordinary(page, host),
  'a window that grows by nothing': () => frames.windowUpdate(0, 0),
  'windows that are too large': () => frames.windowUpdate(0, MAX_WINDOW).repeat(2),
  'settings of a wrong length': () => frame(frames.SETTINGS, 0, 0, 'abc'),
  'settings on a stream': () => frame(frames.SETTINGS, 0, 1, ''),
  'a wrong setting': () => settings([[INITIAL_WINDOW_SIZE, 2 ** 32 - 1], [5, 1], [999, 7]]),
  'a thousand settings': () => settings().repeat(1000),
  'a thousand pings': () => frames.ping().repeat(1000),
  'a stream that depends on itself': () => frame(frames.PRIORITY, 0, 1, bigEndian(1, 4) + '\0'),
  'a push': () => frame(frames.PUSH_PROMISE, frames.END_HEADERS, 1, bigEndian(2, 4)),
  'headers without an end': (page, host) => {
    const block = frames.fields(pseudo('GET', page.path, host));
    const rest = frame(frames.CONTINUATION, 0, 1, frames.fields([['a', 'b']]));
    return frame(frames.HEADERS, END_STREAM, 1, block) + rest.repeat(1000);
  },
  'a ping among headers': (page, host) => {
    const block = frames.fields(pseudo('GET', page.path, host));
    return frame(frames.HEADERS, END_STREAM, 1, block) + frames.ping();
  },
  'headers that end in the middle': () => frame(frames.HEADERS, WHOLE, 1, '\0\x7f\xff'),
  'headers of no known table': () => frame(frames.HEADERS, WHOLE, 1, '\xff\xff\xff\xff\x0f'),
  'a table that is too large': () => frame(frames.HEADERS, WHOLE, 1, '\x3f\xff\xff\xff\x0f'),
  'a frame of an unknown type': (page, host) => frame(99, 255, 1, 'abc') + ordinary(page, host),
  'a frame that is too long': () => frame(frames.DATA, 0, 1, 'abc', 2 ** 24 - 1),
  'a frame that is longer than its bytes': () => frame(frames.HEADERS, WHOLE, 1, 'abc', 1000),
  'less data than its length': (page, host) => {
    const own = [...pseudo('POST', page.path, host), ['content-length', '10']];
    return headers(1, own, 0) + data(1, 'abc');
  },
  'more data than its length': (page, host) => {
    const own = [...pseudo('POST', page.path, host), ['content-length', '2']];
    return headers(1, own, 0) + data(1, 'abc');
  },
  'trailers with a path': (page, host) => {
    const open = headers(1, pseudo('POST', page.path, host), 0) + data(1, 'a', 0);
    return open + headers(1, [[':path', '/']]);
  },
  'trailers that do not end it': (page, host) => {
    return headers(1, pseudo('POST', page.path, host), 0) + headers(1, [['a', 'b']], 0);
  },
  'as many headers as there may be': (page, host) => {
    return headers(1, [...pseudo('GET', page.path, host), ...Array(120).fill(['a', 'b'])]);
  },
  'more headers than there may be': (page, host) => {
    return headers(1, [...pseudo('GET', page.path, host), ...Array(3000).fill(['a', 'b'])]);
  },
  'CONNECT': () => headers(1, [[':method', 'CONNECT'], [':authority', 'other.example:443']], 0),
  'CONNECT with a path': (page, host) => headers(1, pseudo('CONNECT', page.path, host), 0),
  'HTTP/1': (page, host) => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
};

// Where a client leaves, beside the places of both protocols: each is called with a wire, and the
// bytes of an ordinary connection.
const PLACES = {
  'in the middle of the preface': (wire, bytes, random) => {
    return wire.write(bytes.slice(0, random.below(PREFACE.length)));
  },
  'in the middle of its frames': async (wire, bytes, random) => {
    const count = BEGIN.length + random.below(bytes.length - BEGIN.length);
    await wire.write(bytes.slice(0, count));
    await wire.receive(1);
  },
};

// Further clients, each with what it does before it leaves. None opens a stream behind its GOAWAY:
// Node's own server resets such a stream while it reads the frame. Node 20 then reads memory that
// it has freed, and Node 22 aborts if the stream has a body.
const MANNERS = {
  async 'resets a few streams at once'({ wire, random, page, host }) {
    const asked = streams(50).map((id) => ordinary(page, host, id) + reset(id));
    await wire.write(BEGIN + asked.join(''));
    await wire.receive(1 + random.below(MAX_READ));
  },
  async 'resets very many streams at once'({ wire, page, host }) {
    const get = pseudo('GET', page.path, host);
    const asked = streams(1500).map((id) => headers(id, get) + reset(id));
    await wire.write(BEGIN + asked.join(''));
    await wire.receive(MAX_READ);
  },
  async 'resets streams in the middle of their answers'({ wire, random, page, host }) {
    await wire.write(BEGIN);
    for (const id of streams(10)) {
      await wire.write(ordinary(page, host, id));
      await wire.receive(1 + random.below(20_000));
      await wire.write(reset(id, random.below(14)));
    }
  },
  async 'opens very many streams'({ wire, page, host }) {
    await wire.write(BEGIN + streams(300).map((id) => ordinary(page, host, id)).join(''));
    await wire.receive(MAX_READ);
  },
  async 'says that it goes, and does'({ wire, random, page, host }) {
    await wire.write(BEGIN + ordinary(page, host) + goAway(0, random.below(14)));
    await wire.receive(1);
  },
  async 'has no window'({ wire, page, host }) {
    const none = settings([[INITIAL_WINDOW_SIZE, 0]]);
    await wire.write(PREFACE + none + streams(5).map((id) => ordinary(page, host, id)).join(''));
    await wire.receive(MAX_READ);
  },
  async 'has a window of one byte'({ wire, page, host }) {
    await wire.write(PREFACE + settings([[INITIAL_WINDOW_SIZE, 1]]) + ordinary(page, host));
    for (let i = 0; i < 20; i++) {
      await wire.receive(1);
      await wire.write(frames.windowUpdate(1, 1));
    }
  },
  async 'takes its window back'({ wire, page, host }) {
    await wire.write(BEGIN + ordinary(page, host));
    await wire.receive(1);
    await wire.write(settings([[INITIAL_WINDOW_SIZE, 0]]) + ordinary(page, host, 3));
    await wire.receive(MAX_READ);
  },
  async 'sends byte by byte'({ wire, page, host }) {
    await wire.writeByteByByte(BEGIN + ordinary(page, host));
    await wire.receive(MAX_READ);
  },
  async 'expects 100-continue, and sends no body'({ wire, page, host }) {
    const expecting = [...pseudo('POST', page.path, host), ['expect', '100-continue']];
    await wire.write(BEGIN + headers(1, expecting, 0));
    await wire.receive(MAX_READ);
  },
  async 'expects 100-continue, and sends a body'({ wire, page, host }) {
    const expecting = [...pseudo('POST', page.path, host), ['expect', '100-continue']];
    await wire.write(BEGIN + headers(1, expecting, 0));
    await wire.receive(1);
    await wire.write(data(1, BODY));
    await wire.receive(MAX_READ);
  },
};

// Yields what clients send behind the settings: its name, and the frames.
function* requests({ pages, host }, random) {
  const any = () => random.pick(pages);
  const get = (path, more = []) => headers(1, [...pseudo('GET', path, host), ...more]);
  for (const target of TARGETS) yield [`GET ${shown(target)}`, get(target)];
  for (const [name, target] of Object.entries(LONG_TARGETS)) yield [name, get(target)];
  for (const page of pages) {
    for (const [name, change] of Object.entries(BESIDE_PAGES)) {
      const path = change(page.path);
      yield [`${name}: ${page.path}`, headers(1, pseudo(page.method, path, host))];
    }
  }
  for (const method of ['HEAD', 'OPTIONS', 'TRACE', 'PATCH', 'BREW', 'get', '', 'G\xcbT']) {
    yield [`method ${method}`, headers(1, pseudo(method, any().path, host))];
  }
  for (const authority of ['', '[', 'a b', 'a:99999', '\xff', 'user@a', '%', 'a'.repeat(15_000)]) {
    yield [`authority ${shown(authority)}`, headers(1, pseudo('GET', any().path, authority))];
  }
  for (const [name, change] of Object.entries(PSEUDO)) {
    yield [name, headers(1, change(pseudo('GET', any().path, host)))];
  }
  const ofHttp1 = HEADERS.filter((line) => /^[^ :]+: ?/.test(line)).map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trimStart()];
  });
  for (const pair of [...ofHttp1, ...OWN_HEADERS]) {
    yield [`header ${shown(pair.join(': '))}`, ordinary(any(), host, 1, [pair])];
  }
  for (const [index, body] of BODIES.entries()) {
    const own = [...pseudo('POST', any().path, host), ['content-type', 'application/json']];
    yield [`body ${index}`, headers(1, own, 0) + data(1, body)];
  }
  for (const [name, make] of Object.entries(BROKEN)) yield [name, make(any(), host)];
  yield ['frames of random bytes', Array.from({ length: 20 }, () => {
    const payload = random.bytes(20).toString('latin1');
    return frame(random.below(11), random.below(256), random.below(4), payload);
  }).join('')];
}

// Each opens a connection, and leaves it.
const leaving = (run) => async ({ open, random, target, page }) => {
  const wire = open();
  await run({ wire, random, page, host: target.host });
  await wire.leave(random.pick(LEAVINGS));
};

module.exports = {
  BEGIN,
  MANNERS: Object.fromEntries(Object.entries(MANNERS).map(([name, run]) => [name, leaving(run)])),
  PLACES,
  ordinary: (page, host) => ordinary(page, host),
  requests,
  statusOf: frames.statusOf,
};
