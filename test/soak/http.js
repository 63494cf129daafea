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
const { inBatches, soak } = require('../helpers/memory.js');

const AT_ONCE = 32;
const CUT_EVERY = 5;

// Never reached.
const LONG = 60_000;

// A server of Node ends the session of a client that cancels too many streams.
const PER_SESSION = 60 * AT_ONCE;
let session;

// The requests that have ended.
let answered = 0;
let aborted = 0;

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
    scheduler.postTask(() => response.end('answer'), { signal }).then(() => answered++);
    return;
  }
  response.write('a part');
  scheduler.postTask(() => {}, { signal, delay: LONG }).catch((reason) => {
    assert.equal(reason, signal.reason);
    assert.equal(reason.cause.code, 'ECONNRESET');
    aborted++;
  });
}

// A part that sends this many requests to a server, so many of them by each `ask(port, from)`, and
// waits until all have ended.
function requesting(count, create, perCall, ask) {
  return {
    count,
    async run(count) {
      const server = create(handle).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address();
      const calls = Math.ceil(count / perCall);
      const endedBefore = answered + aborted;
      const abortedBefore = aborted;
      await inBatches((index) => ask(port, index * perCall), { atOnce: AT_ONCE })(calls);
      while (answered + aborted < endedBefore + calls * perCall) await turn();
      assert.equal(aborted - abortedBefore, Math.floor(calls * perCall / CUT_EVERY));
      server.close();
      session?.destroy();
      return count;
    },
  };
}

const text = (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

// The last two of ten requests are cut off. The last one waits for the one before, and its client
// gets no answer.
const PIPELINE = text('/').repeat(8) + text('/cut').repeat(2);

// Sends requests on a connection, and closes it when all answers have come, the last one in part:
// by a reset, which leaves none behind that keeps its port for a while.
async function pipeline(port) {
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
  socket.setEncoding('latin1').write(PIPELINE);
  let received = '';
  for await (const data of socket.iterator({ destroyOnReturn: false })) {
    received += data;
    if (received.split(/answer|a part/).length > 9) break;
  }
  socket.resetAndDestroy();
}

async function requestStream(port, index) {
  if (index % PER_SESSION === 0) {
    session?.destroy();
    session = http2.connect(`http://127.0.0.1:${port}`);
  }
  const isCut = index % CUT_EVERY === CUT_EVERY - 1;
  const stream = session.request({ ':path': isCut ? '/cut' : '/' });
  if (isCut) {
    await once(stream, 'data');
    stream.close(http2.constants.NGHTTP2_CANCEL);
  } else {
    stream.resume();
  }
  await once(stream, 'close');
}

soak({
  'pipelined requests': requesting(1_000_000, http.createServer, 10, pipeline),
  'streams of HTTP/2': requesting(200_000, http2.createServer, 1, requestStream),
});
