'use strict';

// shutDown(): a server ends without losing a request.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');
const http2 = require('node:http2');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');
const { scheduler } = require('../../..');
const { createAdmission, shutDown } = require('../../../integrations/http');
const { LIMIT } = require('../../helpers/loop.js');

const NONE = { 'user-blocking': 0, 'user-visible': 0, 'background': 0 };
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('shutDown()', function () {
  this.timeout(LIMIT);
  let server;
  const sockets = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server?.closeAllConnections?.();
    server?.close();
  });

  async function listen(listener) {
    server = http.createServer(listener).listen(0, '127.0.0.1');
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

  it('lets the streams of a session of HTTP/2 end', async () => {
    server = http2.createServer(async (req, res) => {
      await sleep(20);
      res.end('answer');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = http2.connect(`http://127.0.0.1:${server.address().port}`);
    const stream = client.request({ ':path': '/' }).setEncoding('utf8');
    await once(server, 'request');
    const done = shutDown(server);
    const [text] = await once(stream, 'data');
    assert.equal(text, 'answer');
    client.close();
    await done;
  });

  it('refuses what is no server, and options that do not exist', async () => {
    await assert.rejects(shutDown({}), { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
    const code = 'ERR_INVALID_ARG_VALUE';
    const message = /unknown option 'timout' \(did you mean 'timeout'\?\)/;
    await assert.rejects(shutDown(http.createServer(), { timout: 1 }), { code, message });
  });
});
