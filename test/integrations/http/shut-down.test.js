'use strict';

// shutDown(): a server ends without losing a request.
// @host each-node

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');
const http2 = require('node:http2');
const https = require('node:https');
const { setImmediate: turn } = require('node:timers/promises');
const express = require('express');
const { fastify } = require('fastify');
const { scheduler } = require('../../..');
const { ENDING, readiness } = require('../../../integrations/health/readiness.js');
const { shutDown } = require('../../../integrations/http');
const { createTestScheduler } = require('uv-scheduler/testing');
const { closeAll, connect, listen, until } = require('../../helpers/admission.js');
const { output } = require('../../helpers/tasks.js');
const { LIMIT } = require('../../helpers/programs.js');

const NONE = { 'user-blocking': 0, 'user-visible': 0, 'background': 0 };
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
// With the last answer of a connection.
const LAST = /^HTTP\/1.1 200 [^]*Connection: close\r\n[^]*answer/;

// TLS by a key that both sides have, which needs no certificate.
const psk = Buffer.alloc(16, 1);
const TLS = { ciphers: 'PSK', maxVersion: 'TLSv1.2', pskIdentityHint: 'server' };
const TLS_SERVER = { ...TLS, pskCallback: () => psk };
const TLS_CLIENT = {
  ...TLS, pskCallback: () => ({ psk, identity: 'client' }), checkServerIdentity() {},
};

const SERVERS = {
  'http': (listener) => http.createServer(listener),
  'https': (listener) => https.createServer(TLS_SERVER, listener),
  'http2': (listener) => http2.createServer(listener),
  'http2 with TLS': (listener) => http2.createSecureServer(TLS_SERVER, listener),
};

const answer = (request, response) => response.end('answer');

// The same with frameworks, which may set up the server.
const FRAMEWORKS = {
  express: (listener) => http.createServer(express().get('/', listener)),
  async fastify() {
    const app = fastify();
    app.get('/', async () => 'answer');
    await app.ready();
    return app.server;
  },
};

// Clients of a server. `get(isNew)` uses a connection of the pool or a new one.
function poolOf(name, port) {
  const open = [];
  const secure = /https|TLS/.test(name) ? TLS_CLIENT : undefined;
  const connectTo = () => {
    const session = http2.connect(`${secure ? 'https' : 'http'}://127.0.0.1:${port}`, secure);
    open.push(session);
    return session;
  };
  const { request, Agent } = secure ? https : http;
  const agent = new Agent({ keepAlive: true });
  open.push(agent);
  const session = /http2/.test(name) ? connectTo() : undefined;
  const send = (isNew) => {
    if (session) return (isNew ? connectTo() : session).request({ ':path': '/' });
    return request({ ...secure, host: '127.0.0.1', port, agent: isNew ? false : agent });
  };
  const get = async (isNew) => {
    const sent = send(isNew).end();
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const part of (session ? sent : response).setEncoding('utf8')) text += part;
    assert.deepEqual([response.statusCode ?? response[':status'], text], [200, 'answer']);
  };
  return { get, close: () => open.forEach((each) => each.destroy()) };
}

async function isClosed(socket) {
  if (!socket.closed && !socket.destroyed) await once(socket, 'close');
}

describe('shutDown()', function () {
  this.timeout(LIMIT);
  let server;
  let test;

  afterEach(() => {
    test?.stop();
    return closeAll();
  });

  // Starts a server, and opens so many connections to it, which send nothing.
  async function open(listener, count = 1, create = SERVERS.http) {
    server = create(listener);
    const port = await listen(server);
    let accepted = 0;
    server.on('connection', () => accepted++);
    const sockets = Array.from({ length: count }, () => connect(port, ''));
    await until(() => accepted === count);
    return sockets;
  }

  // Sends a request, and waits until the server has it.
  async function send(socket, text = REQUEST) {
    socket.write(text);
    await once(server, 'request');
  }

  it('answers what is under way and says that the connection closes', async () => {
    let response;
    const [socket] = await open((req, res) => (response = res));
    await send(socket);
    const done = shutDown(server);
    assert.equal(server.listening, false);
    response.end('answer');
    await once(socket, 'end');
    assert.deepEqual(await done, { completed: NONE, failed: NONE, aborted: NONE });
    assert.match(socket.text, LAST);
  });

  it('closes idle connections, also beside those that have left without a word', async () => {
    const [left, ...idle] = await open(answer, 3);
    server.keepAliveTimeout = 0;
    left.destroy();
    for (const socket of idle) {
      socket.write(REQUEST);
      await once(socket, 'data');
    }
    await Promise.all([shutDown(server), ...idle.map(isClosed)]);
  });

  it('closes no connection whose request has begun, or comes after a while', async () => {
    test = createTestScheduler();
    const [slow, late] = await open(answer, 2);
    slow.write(REQUEST.slice(0, 10));
    let isDone = false;
    const done = shutDown(server).then(() => (isDone = true));
    await test.advance(500);
    late.write(REQUEST);
    await once(late, 'end');
    // Longer than a connection may send nothing.
    await test.advance(1000);
    slow.write(REQUEST.slice(10));
    await once(slow, 'end');
    for (const { text } of [slow, late]) assert.match(text, /^HTTP\/1.1 200 /);
    for (; !isDone; await turn()) await test.advance(100);
    await done;
  });

  for (const [name, create] of Object.entries(SERVERS)) {
    it(`closes connections that send nothing: ${name}`, async () => {
      const [socket] = await open(() => {}, 1, create);
      await shutDown(server);
      await isClosed(socket);
    });
  }

  it('closes what is left at its timeout', async () => {
    const [socket] = await open(() => {});
    await send(socket);
    const task = scheduler.postTask(() => new Promise(() => {}));
    const { aborted } = await shutDown(server, { timeout: 30 });
    assert.equal(aborted['user-visible'], 1);
    await assert.rejects(task, { name: 'TimeoutError' });
    await isClosed(socket);
  });

  for (const [title, close] of [
    ['a second call waits for what is under way', () => void shutDown(server)],
    ['behind a close(), it waits for what is under way', () => server.close()],
  ]) {
    it(title, async () => {
      let response;
      const [socket] = await open((req, res) => (response = res));
      await send(socket);
      close();
      let isDone = false;
      const done = shutDown(server).then(() => (isDone = true));
      for (let i = 0; i < 10; i++) await turn();
      assert.equal(isDone, false);
      response.end('answer');
      await once(socket, 'end');
      await done;
      await shutDown(server);
      await shutDown(http.createServer());
    });
  }

  for (const [name, create] of Object.entries({ ...SERVERS, ...FRAMEWORKS })) {
    it(`goes on for its delay, so that no request of its clients fails: ${name}`, async () => {
      test = createTestScheduler();
      server = await create(answer);
      const pool = poolOf(name, await listen(server));
      const visits = () => Promise.all([...Array(10).keys()].map((i) => pool.get(i % 5 === 0)));
      await visits();
      let isDone = false;
      const done = shutDown(server, { delay: 2000 }).then(() => (isDone = true));
      assert.equal(readiness.state, ENDING);
      for (const time of [0, 1, 1000, 998]) {
        await test.advance(time);
        await visits();
      }
      assert.equal(server.listening, true);
      const last = pool.get();
      await once(server, 'request');
      await test.advance(1);
      await last;
      assert.equal(server.listening, false);
      for (; !isDone; await turn()) await test.advance(100);
      await done;
      pool.close();
    });
  }

  it('goes on no longer than its delay where its signal is aborted, or it is closed', async () => {
    test = createTestScheduler();
    await open(answer, 0);
    const controller = new AbortController();
    const done = shutDown(server, { delay: 2000, signal: controller.signal });
    controller.abort('enough');
    await assert.rejects(done, (reason) => reason === 'enough');
    assert.equal(server.listening, true);
    const first = shutDown(server, { delay: 2000 });
    await shutDown(server);
    await shutDown(server, { delay: 2000 });
    await test.advance(2000);
    await first;
  });

  it('leaves nothing that holds the process, also with a timeout', async () => {
    const lines = await output(async (root) => {
      const { createServer } = require('node:http');
      const { shutDown: end } = require(`${root}/integrations/http`);
      const own = createServer().listen(0, '127.0.0.1', async () => {
        await end(own, { timeout: 2 ** 30 });
        console.log('ended');
      });
    });
    assert.deepEqual(lines, ['ended']);
  });

  it('is rejected with the reason of its signal', async () => {
    const [socket] = await open(() => {});
    await send(socket);
    const controller = new AbortController();
    const { signal } = controller;
    const done = shutDown(server, { signal });
    controller.abort('enough');
    for (const each of [done, shutDown(server, { signal })]) {
      await assert.rejects(each, (reason) => reason === 'enough');
    }
  });

  for (const name of ['http2', 'http2 with TLS']) {
    describe(`of a server of ${name}`, () => {
      let clients;

      // Starts a server, and so many sessions that have their settings, and stay open until the
      // server closes them.
      async function openSessions(listener, count = 1) {
        server = SERVERS[name](listener);
        const url = `127.0.0.1:${await listen(server)}`;
        const isTls = name !== 'http2';
        clients = Array.from({ length: count }, () => {
          const client = http2.connect(`${isTls ? 'https' : 'http'}://${url}`,
            isTls ? TLS_CLIENT : {});
          client.on('error', () => {});
          client.goaways = 0;
          client.on('goaway', () => client.goaways++);
          return client;
        });
        await Promise.all(clients.map((client) => once(client, 'remoteSettings')));
        return clients;
      }

      afterEach(() => clients.forEach((client) => client.destroy()));

      async function get(client) {
        const stream = client.request({ ':path': '/' }).setEncoding('utf8');
        let text = '';
        stream.on('data', (part) => (text += part));
        await once(stream, 'end');
        return text;
      }

      it('closes idle sessions by GOAWAY', async () => {
        const [first, second] = await openSessions(answer, 2);
        assert.equal(await get(second), 'answer');
        await shutDown(server);
        await Promise.all([first, second].map(isClosed));
        assert.ok(first.goaways > 0 && second.goaways > 0);
      });

      it('answers requests under way and on their way, and then closes their session', async () => {
        const responses = [];
        const [client] = await openSessions((req, res) => responses.push(res));
        const first = get(client);
        await once(server, 'request');
        const second = get(client);
        const done = shutDown(server);
        await until(() => responses.length === 2);
        for (const response of responses) response.end('answer');
        assert.deepEqual([await first, await second], ['answer', 'answer']);
        await done;
        await isClosed(client);
      });

      it('closes sessions with streams at its timeout', async () => {
        const [client] = await openSessions(() => {});
        get(client).catch(() => {});
        await once(server, 'request');
        await shutDown(server, { timeout: 30 });
        await isClosed(client);
      });
    });
  }
});
