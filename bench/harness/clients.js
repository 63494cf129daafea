'use strict';

// The ways in which visitors connect, and responses that last as long as the visitors come, such as
// streams of events. Each client has `send(path, done, received)`: it sends a request, calls
// `done(status, headers)` when the response is complete or `done(null)` if it failed, and returns a
// function by which the visitor leaves. HTTP/1 calls `received` with each part of the response.

const http = require('node:http');
const http2 = require('node:http2');

const { NGHTTP2_CANCEL } = http2.constants;

// The header that says when a request was refused, of servers that do so also after it has waited.
const REFUSED = 'x-refused';

// The statuses of refusals.
const REFUSALS = [429, 503];

// Opened before visitors arrive. Under overload more visitors wait than that.
const CONNECTIONS = 32;
// Visitors of HTTP/2 share these.
const SESSIONS = 8;

function createHttp1(url, keepAlive) {
  const agent = new http.Agent({ keepAlive, maxFreeSockets: Infinity });
  return {
    opened: keepAlive ? CONNECTIONS : 1,
    send(path, done, received = () => {}) {
      const request = http.get(url + path, { agent }, (response) => {
        response.on('data', received);
        response.on('error', () => done(null));
        response.on('end', () => done(response.statusCode, response.headers));
      });
      request.on('error', () => done(null));
      return () => request.destroy();
    },
    close: () => agent.destroy(),
  };
}

function createHttp2(url) {
  const sessions = new Array(SESSIONS);
  let next = 0;

  // Opens a connection anew if the server has ended it.
  function session() {
    const place = next++ % SESSIONS;
    const current = sessions[place];
    if (current !== undefined && !current.closed && !current.destroyed) return current;
    // What it means for a request is said by that request's stream.
    sessions[place] = http2.connect(url).on('error', () => {});
    return sessions[place];
  }

  return {
    opened: SESSIONS,
    send(path, done) {
      const stream = session().request({ ':path': path });
      let headers = null;
      stream.on('response', (received) => (headers = received));
      stream.on('error', () => {});
      stream.on('end', () => done(headers?.[':status'] ?? null, headers));
      stream.on('close', () => done(null));
      stream.resume();
      return () => stream.close(NGHTTP2_CANCEL);
    },
    close: () => sessions.forEach((each) => each.destroy()),
  };
}

const TRANSPORTS = {
  'keep-alive': (url) => createHttp1(url, true),
  new: (url) => createHttp1(url, false),
  http2: createHttp2,
};

// Connects. Resolves to the client, when each connection has had an answer.
async function connect(url, transport, path) {
  const client = TRANSPORTS[transport](url);
  const visit = () => new Promise((resolve) => client.send(path, resolve));
  const statuses = await Promise.all(Array.from({ length: client.opened }, visit));
  const other = statuses.find((status) => status !== 200 && !REFUSALS.includes(status));
  if (other !== undefined) throw new Error(`${url}${path}: status ${other}`);
  return client;
}

// Of the clock that all processes share. The data of an event is when it was due.
const now = () => performance.timeOrigin + performance.now();

// Asks for `count` responses of each name. Returns a function that ends them, and their events.
function openLasting(url, lasting) {
  const begin = now();
  const events = [];
  const requests = lasting.flatMap(({ name, count }) => Array.from({ length: count }, () => {
    const request = http.get(`${url}/${name}`, { agent: false }, async (response) => {
      try {
        for await (const text of response.setEncoding('utf8')) {
          for (const [, due] of text.matchAll(/^data: (.*)$/gm)) {
            events.push({ time: due - begin, name, outcome: 'served', ms: now() - due });
          }
        }
      } catch {
        // It was ended below.
      }
    });
    return request.on('error', () => {});
  }));
  return () => {
    for (const request of requests) request.destroy();
    return events;
  };
}

module.exports = { REFUSALS, REFUSED, connect, now, openLasting };
