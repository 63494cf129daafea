'use strict';

// Owns the hostile clients of HTTP/2: what each sends and reads before it leaves. Their frames are
// those of Node's own client. A server never sees frames that are wrong: its parser ends the
// session, as it does behind the bytes here that are no frames.

const http2 = require('node:http2');
const { setTimeout: delay } = require('node:timers/promises');
const { BODY } = require('./hostile-http1.js');
const { MAX_READ } = require('./hostile-wire.js');

const { NGHTTP2_CANCEL } = http2.constants;

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';

// For how many milliseconds a client waits for an answer.
const PATIENCE = 200;

const ignore = () => {};

// Begins a session on a connection.
function connect({ wire, host }, settings) {
  const options = { createConnection: () => wire.socket, settings };
  return http2.connect(`http://${host}`, options).on('error', ignore);
}

// Begins a request, with a body only where the method allows one.
function ask(session, { method, path }) {
  const headers = { ':method': method, ':path': path, 'content-type': 'application/json' };
  const stream = session.request(headers).on('error', ignore);
  if (method !== 'GET') stream.end(BODY);
  return stream;
}

// Reads so many bytes of an answer, if they come.
async function receive(stream, count) {
  let received = 0;
  const isDone = new Promise((resolve) => {
    stream.on('data', (bytes) => {
      received += bytes.length;
      if (received >= count) resolve();
    }).on('close', resolve);
  });
  await Promise.race([isDone, delay(PATIENCE)]);
}

// Sends so many requests at once, and reads what `countOf(random)` says of the first answer.
const asking = (count, countOf, settings) => async (given) => {
  const session = connect(given, settings);
  const [first] = Array.from({ length: count }, () => ask(session, given.page));
  await receive(first, countOf(given.random));
};

// Cancels so many streams as soon as they are sent.
const cancelling = (count) => async (given) => {
  const session = connect(given);
  for (let i = 0; i < count && !session.destroyed; i++) {
    ask(session, given.page).close(NGHTTP2_CANCEL);
  }
  await delay(PATIENCE);
};

const some = (random) => 1 + random.below(MAX_READ);

// The places where a client leaves.
const PLACES = [
  function beforeItHasSentAnything() {},
  function inThePreface({ wire, random }) {
    return wire.write(PREFACE.slice(0, random.below(PREFACE.length)));
  },
  async function beforeTheAnswer(given) {
    ask(connect(given), given.page);
    await delay(given.random.below(10));
  },
  asking(1, some),
  asking(1, () => Infinity),
  async function withoutReadingTheAnswer(given) {
    ask(connect(given), given.page);
    await delay(PATIENCE);
  },
];

// Other habits of clients, which leave then.
const MANNERS = [
  cancelling(50),
  cancelling(1500),
  async function resetStreamsInTheirAnswers(given) {
    const session = connect(given);
    for (let i = 0; i < 10 && !session.destroyed; i++) {
      const stream = ask(session, given.page);
      await receive(stream, 1 + given.random.below(20_000));
      stream.close(given.random.below(14));
    }
  },
  asking(300, some),
  // Without a window, and with one of a byte.
  asking(5, () => 1, { initialWindowSize: 0 }),
  asking(1, () => 20, { initialWindowSize: 1 }),
  async function sendNoFrames({ wire, random, host }) {
    await wire.write(random.pick([PREFACE, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`]));
    await wire.write(random.bytes(500));
    await wire.receive(1);
  },
];

module.exports = { MANNERS, PLACES };
