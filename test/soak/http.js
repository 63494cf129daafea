'use strict';

// A million requests with a controller for each response, a fifth of them cut off by their client:
// pipelined, and as streams of HTTP/2. No listener may be left, and the tasks of every request must
// end.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');
const http2 = require('node:http2');
const net = require('node:net');
const { setImmediate: turn } = require('node:timers/promises');
const { scheduler } = require('../..');
const { controllerFor } = require('uv-scheduler/http');
const { soak } = require('../helpers/memory.js');

const LANES = 32;
const CUT_EVERY = 5;

// Never reached.
const LONG = 60_000;

const ANSWER = 'answer';
const PART = 'a part';

// The requests of a run that have ended.
let answered;
let aborted;

// How many listeners there are where a controller has its own.
function countListeners(response) {
  return response.listenerCount('close') + response.listenerCount('finish') +
    response.req.listenerCount('aborted') + (response.stream?.listenerCount('close') ?? 0);
}

// Answers in a task. A request for `/cut` gets a part of an answer and has a task that waits.
function handle(request, response) {
  const before = countListeners(response);
  const { signal } = controllerFor(response);
  response.once('close', () => assert.ok(countListeners(response) <= before, 'a listener is left'));
  if (request.url !== '/cut') {
    scheduler.postTask(() => response.end(ANSWER), { signal }).then(() => answered++);
    return;
  }
  response.write(PART);
  scheduler.postTask(() => {}, { signal, delay: LONG }).catch((reason) => {
    assert.equal(reason, signal.reason);
    assert.equal(reason.cause.code, 'ECONNRESET');
    aborted++;
  });
}

async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

// Calls `ask(from)` for every `perCall` requests, on some lanes at once, and waits until all
// requests have ended. Returns how many did.
async function onLanes(count, perCall, ask) {
  answered = 0;
  aborted = 0;
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const from = next;
      next += perCall;
      await ask(from);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const all = Math.ceil(count / perCall) * perCall;
  while (answered + aborted < all) await turn();
  assert.equal(aborted, Math.floor(all / CUT_EVERY));
  return Math.min(count, all);
}

const text = (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

// Sends requests on a connection, and resolves when so many answers have come, whole or in part.
async function answersOn(socket, requests, answers) {
  socket.write(requests);
  let text = '';
  for await (const data of socket.iterator({ destroyOnReturn: false })) {
    text += data;
    if (text.split(/answer|a part/).length > answers) return;
  }
}

// The last two of ten requests are cut off. The last one waits for the one before, and its client
// gets no answer.
const PIPELINE = text('/').repeat(8) + text('/cut').repeat(2);

// Connections are closed by a reset, which leaves none behind that keeps its port for a while.
async function pipelined(count) {
  const server = http.createServer(handle);
  const port = await listen(server);
  const done = await onLanes(count, 10, async () => {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    await answersOn(socket.setEncoding('latin1'), PIPELINE, 9);
    socket.resetAndDestroy();
  });
  server.close();
  return done;
}

// A server of Node ends the session of a client that cancels too many streams.
const PER_SESSION = 2000;

async function onSession(port, count) {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  const done = await onLanes(count, 1, async (index) => {
    const isCut = index % CUT_EVERY === CUT_EVERY - 1;
    const stream = session.request({ ':path': isCut ? '/cut' : '/' });
    if (isCut) {
      await once(stream, 'data');
      stream.close(http2.constants.NGHTTP2_CANCEL);
    } else {
      stream.resume();
    }
    await once(stream, 'close');
  });
  session.destroy();
  return done;
}

async function streams(count) {
  const server = http2.createServer(handle);
  const port = await listen(server);
  let done = 0;
  while (done < count) done += await onSession(port, Math.min(count - done, PER_SESSION));
  server.close();
  return done;
}

soak({
  'pipelined requests': { count: 1_000_000, run: pipelined },
  'streams of HTTP/2': { count: 200_000, run: streams },
});
