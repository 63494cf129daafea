'use strict';

// shutDown(): a server ends without losing a request.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');
const http2 = require('node:http2');
const https = require('node:https');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');
const { scheduler } = require('../../..');
const { createAdmission, shutDown } = require('../../../integrations/http');
const { output } = require('../../helpers/tasks.js');
const { LIMIT } = require('../../helpers/programs.js');

const NONE = { 'user-blocking': 0, 'user-visible': 0, 'background': 0 };
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

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

describe('shutDown()', function () {
  this.timeout(LIMIT);
  let server;
  const sockets = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server?.closeAllConnections?.();
    server?.close();
  });

  async function listen(listener, create = SERVERS.http) {
    server = create(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server.address().port;
  }

  // A connection with what it has received so far.
  async function connect(port) {
    const socket = net.connect(port, '127.0.0.1').setEncoding('utf8');
    sockets.push(socket);
    socket.text = '';
    socket.on('data', (text) => (socket.text += text));
    await once(socket, 'connect');
    return socket;
  }

  it('answers what is under way and says that the connection closes', async () => {
    let response;
    const port = await listen((req, res) => (response = res));
    const socket = await connect(port);
    socket.write(REQUEST);
    await once(server, 'request');
    const done = shutDown(server);
    assert.equal(server.listening, false);
    response.end('answer');
    await once(socket, 'end');
    assert.deepEqual(await done, { completed: NONE, failed: NONE, aborted: NONE });
    assert.match(socket.text, /^HTTP\/1.1 200 [^]*Connection: close\r\n[^]*answer/);
  });

  it('answers a request that is on its way on an idle connection, and then closes it', async () => {
    const port = await listen((req, res) => res.end('answer'));
    const socket = await connect(port);
    socket.write(REQUEST);
    await once(socket, 'data');
    assert.match(socket.text, /Connection: keep-alive/);
    const done = shutDown(server);
    socket.text = '';
    socket.write(REQUEST);
    await once(socket, 'end');
    assert.match(socket.text, /^HTTP\/1.1 200 [^]*Connection: close\r\n/);
    await done;
  });

  it('closes idle connections', async () => {
    const port = await listen((req, res) => res.end('answer'));
    const socket = await connect(port);
    socket.write(REQUEST);
    await once(socket, 'data');
    await shutDown(server);
    await once(socket, 'close');
  });

  it('closes idle connections beside those that have left without a word', async () => {
    const port = await listen((req, res) => res.end('answer'));
    server.keepAliveTimeout = 0;
    const [left, socket] = [await connect(port), await connect(port)];
    left.destroy();
    socket.write(REQUEST);
    await once(socket, 'data');
    await Promise.all([shutDown(server), once(socket, 'close')]);
  });

  it('closes connections that send nothing, but none whose request has begun', async () => {
    const port = await listen((req, res) => res.end('answer'));
    const [silent, slow] = [await connect(port), await connect(port)];
    slow.write(REQUEST.slice(0, 10));
    const done = shutDown(server);
    await once(silent, 'close');
    slow.write(REQUEST.slice(10));
    await once(slow, 'end');
    assert.match(slow.text, /^HTTP\/1.1 200 /);
    await done;
  });

  it('answers the first request of a connection that has sent nothing for a while', async () => {
    const port = await listen((req, res) => res.end('answer'));
    const socket = await connect(port);
    const done = shutDown(server);
    await sleep(500);
    socket.write(REQUEST);
    await once(socket, 'end');
    assert.match(socket.text, /^HTTP\/1.1 200 /);
    await done;
  });

  for (const [name, create] of Object.entries(SERVERS)) {
    it(`closes connections that send nothing: ${name}`, async () => {
      const port = await listen(() => {}, create);
      const [socket] = await Promise.all([connect(port), once(server, 'connection')]);
      socket.on('error', () => {});
      await shutDown(server);
      if (!socket.closed) await once(socket, 'close');
    });
  }

  it('waits for admitted requests and refuses those that matter less', async () => {
    const { handler } = createAdmission({ classify: ({ url }) => url.slice(1) });
    let release;
    const released = new Promise((resolve) => (release = resolve));
    const port = await listen(handler(async (req, res) => {
      await released;
      await scheduler.yield();
      res.end('answer');
    }));
    const [page, crawler] = [await connect(port), await connect(port)];
    page.write(REQUEST.replace('/', '/user-visible'));
    await once(server, 'request');
    const done = shutDown(server);
    crawler.write(REQUEST.replace('/', '/background'));
    await once(crawler, 'end');
    assert.match(crawler.text, /^HTTP\/1.1 503 /);
    release();
    await once(page, 'end');
    const { completed } = await done;
    assert.equal(completed['user-visible'], 1);
    assert.match(page.text, /^HTTP\/1.1 200 /);
  });

  it('closes what is left at its timeout', async () => {
    const port = await listen(() => {});
    const socket = await connect(port);
    socket.on('error', () => {});
    socket.write(REQUEST);
    await once(server, 'request');
    const task = scheduler.postTask(() => new Promise(() => {}));
    const { aborted } = await shutDown(server, { timeout: 30 });
    assert.equal(aborted['user-visible'], 1);
    await assert.rejects(task, { name: 'TimeoutError' });
    if (!socket.closed) await once(socket, 'close');
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
    const port = await listen(() => {});
    const socket = await connect(port);
    socket.write(REQUEST);
    await once(server, 'request');
    const controller = new AbortController();
    const done = shutDown(server, { signal: controller.signal });
    controller.abort('enough');
    await assert.rejects(done, (reason) => reason === 'enough');
    const again = shutDown(server, { signal: controller.signal });
    await assert.rejects(again, (reason) => reason === 'enough');
  });

  it('refuses what is no server, and options that do not exist', async () => {
    await assert.rejects(shutDown({}), { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
    const code = 'ERR_INVALID_ARG_VALUE';
    const message = /unknown option 'timout' \(did you mean 'timeout'\?\)/;
    await assert.rejects(shutDown(http.createServer(), { timout: 1 }), { code, message });
  });
});

for (const name of ['http2', 'http2 with TLS']) {
  describe(`shutDown() of a server of ${name}`, function () {
    this.timeout(LIMIT);
    let server;
    let port;
    const clients = [];

    afterEach(() => {
      for (const client of clients.splice(0)) client.destroy();
      server.close();
    });

    async function listen(listener) {
      server = SERVERS[name](listener).listen(0, '127.0.0.1');
      await once(server, 'listening');
      ({ port } = server.address());
    }

    // A session that has its settings, and stays open until the server closes it.
    async function connect() {
      const isTls = name !== 'http2';
      const url = `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`;
      const client = http2.connect(url, isTls ? TLS_CLIENT : {});
      clients.push(client);
      client.on('error', () => {});
      client.goaways = 0;
      client.on('goaway', () => client.goaways++);
      await once(client, 'remoteSettings');
      return client;
    }

    async function get(client) {
      const stream = client.request({ ':path': '/' }).setEncoding('utf8');
      let text = '';
      stream.on('data', (part) => (text += part));
      await once(stream, 'end');
      return text;
    }

    async function isClosed(client) {
      if (!client.destroyed) await once(client, 'close');
    }

    it('closes idle sessions by GOAWAY', async () => {
      await listen((req, res) => res.end('answer'));
      const [first, second] = [await connect(), await connect()];
      assert.equal(await get(second), 'answer');
      await shutDown(server);
      await Promise.all([first, second].map(isClosed));
      assert.ok(first.goaways > 0 && second.goaways > 0);
    });

    it('lets streams end that are under way', async () => {
      const responses = [];
      await listen((req, res) => responses.push(res));
      const client = await connect();
      const answer = get(client);
      await once(server, 'request');
      const done = shutDown(server);
      await once(client, 'goaway');
      responses[0].end('answer');
      assert.equal(await answer, 'answer');
      await done;
      await isClosed(client);
    });

    it('answers a request that is on its way, and then closes its session', async () => {
      await listen((req, res) => res.end('answer'));
      const client = await connect();
      const answer = get(client);
      const done = shutDown(server);
      assert.equal(await answer, 'answer');
      await done;
      await isClosed(client);
    });

    it('closes sessions with streams at its timeout', async () => {
      await listen(() => {});
      const client = await connect();
      get(client).catch(() => {});
      await once(server, 'request');
      await shutDown(server, { timeout: 30 });
      await isClosed(client);
    });
  });
}
