'use strict';

// createAdmission() of `uv-scheduler/http`: who is refused while there is too little time, and how.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');
const http2 = require('node:http2');
const net = require('node:net');
const { text } = require('node:stream/consumers');

const { configure, drain } = require('../../..');
const { createAdmission } = require('uv-scheduler/http');
const { ask, classify, closeAll, listen, occupy, until } = require('../../helpers/admission.js');

const SHORT = { 'user-visible': 5, 'background': 5 };
const LONG = 1e6;
const PATIENT = { 'user-blocking': LONG, 'user-visible': LONG, 'background': LONG };

let release = () => {};

afterEach(async () => {
  await release();
  release = () => {};
  configure({ maxWait: { 'user-visible': Infinity, 'background': Infinity } });
  await closeAll();
});

const answer = (request, response) => response.end(request.url);

async function start(options, listener = answer) {
  const admission = createAdmission({ classify, ...options });
  const server = http.createServer(admission.handler(listener));
  const port = await listen(server);
  return { admission, server, port, counts: admission.counts };
}

describe('a request that has waited too long', () => {
  it('is answered 503 with Retry-After, and important ones are served', async () => {
    const { port, counts } = await start({ refuseAfter: SHORT });
    release = occupy();
    const refused = await Promise.all(['/user-visible', '/background'].map((path) => {
      return ask(port, path);
    }));
    for (const { status, headers } of refused) {
      assert.equal(status, 503);
      assert.match(headers['retry-after'], /^[123]$/);
    }
    const { status, text } = await ask(port, '/user-blocking');
    assert.deepEqual([status, text], [200, '/user-blocking']);
    assert.equal(counts()['user-visible'].refused.wait, 1);
    assert.equal(counts().background.refused.wait, 1);
    assert.equal(counts()['user-blocking'].admitted, 1);
  });

  it('is given to refuse() with the reason', async () => {
    const refuse = (request, response, reason) => {
      response.statusCode = 429;
      response.end(reason);
    };
    const { port } = await start({ refuseAfter: SHORT, refuse });
    release = occupy();
    const { status, text } = await ask(port);
    assert.deepEqual([status, text], [429, 'wait']);
  });

  it('is served if maxWait gives its priority a turn before', async () => {
    configure({ maxWait: { background: 1 } });
    const { port } = await start({ refuseAfter: { background: LONG } });
    release = occupy();
    assert.equal((await ask(port, '/background')).status, 200);
  });

  it('was begun by others: the connection is closed', async () => {
    const admission = createAdmission({ refuseAfter: SHORT });
    const port = await listen(http.createServer((request, response) => {
      response.write('begun');
      admission.middleware(request, response, () => {
        assert.fail('it is admitted');
      });
    }));
    release = occupy();
    await assert.rejects(ask(port), { code: 'ECONNRESET' });
  });

  it('does not keep others waiting after an overload', async () => {
    const { port, counts } = await start({ refuseAfter: SHORT });
    release = occupy();
    await Promise.all(Array.from({ length: 20 }, () => ask(port)));
    assert.equal(counts()['user-visible'].refused.wait, 20);
    await release();
    // The bound is shorter than what this machine may take for a moment.
    let status;
    for (let i = 0; i < 100 && status !== 200; i++) ({ status } = await ask(port));
    assert.equal(status, 200);
  });
});

describe('a request with a body that was not read', () => {
  it('is refused with Connection: close', async () => {
    const { port } = await start({ refuseAfter: SHORT });
    release = occupy();
    const socket = net.connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n');
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
    assert.match(text, /^HTTP\/1.1 503 /);
    assert.match(text, /\r\nConnection: close\r\n/);
  });

  it('keeps its connection if it has no body', async () => {
    const { port } = await start({ refuseAfter: SHORT });
    release = occupy();
    const { headers } = await ask(port, '/', { headers: { Connection: 'keep-alive' } });
    assert.equal(headers.connection, 'keep-alive');
  });

  it('has its stream of HTTP/2 reset, and the connection goes on', async () => {
    const { handler } = createAdmission({ classify: ({ headers }) => headers.priority,
      refuseAfter: SHORT });
    const port = await listen(http2.createServer(handler((request, response) => response.end())));
    release = occupy();
    const client = http2.connect(`http://127.0.0.1:${port}`);
    const stream = client.request({ ':method': 'POST' });
    stream.on('error', () => {});
    stream.write('begun');
    const [headers] = await once(stream, 'response');
    assert.equal(headers[':status'], 503);
    stream.resume();
    await once(stream, 'close');
    const other = client.request({ priority: 'user-blocking' });
    const [{ ':status': status }] = await once(other, 'response');
    assert.equal(status, 200);
    client.destroy();
  });
});

describe('when more wait than maxQueued', () => {
  it('the newest of the least important is refused', async () => {
    const { port, counts } = await start({ refuseAfter: PATIENT, maxQueued: 2 });
    release = occupy();
    const first = ask(port, '/background');
    await until(() => counts().background.queued === 1);
    const second = ask(port, '/background');
    await until(() => counts().background.queued === 2);
    const visible = ask(port, '/user-visible');
    assert.equal((await second).status, 503);
    // As no request is less important, the next one is refused itself.
    assert.equal((await ask(port, '/background')).status, 503);
    assert.equal(counts().background.refused.queue, 2);
    await release();
    assert.deepEqual([(await first).status, (await visible).status], [200, 200]);
  });

  it('no more memory is held, however many connections come', async () => {
    const { admit, counts } = createAdmission({ refuseAfter: PATIENT, maxQueued: 100 });
    release = occupy();
    for (let i = 0; i < 1e5; i++) {
      const request = new http.IncomingMessage(null);
      const response = new http.ServerResponse(request);
      admit(request, response, () => response.emit('close'));
    }
    const { queued, refused } = counts()['user-visible'];
    assert.deepEqual([queued, refused.queue], [100, 1e5 - 100]);
  });
});

describe('a client that leaves while it waits', () => {
  it('is counted and not answered', async () => {
    let calls = 0;
    const { port, counts } = await start({ refuseAfter: PATIENT }, () => calls++);
    release = occupy();
    const socket = net.connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => counts()['user-visible'].queued === 1);
    socket.destroy();
    await until(() => counts()['user-visible'].left === 1);
    assert.equal(counts()['user-visible'].queued, 0);
    await release();
    await drain();
    assert.equal(calls, 0);
  });

  it('is not counted if other code has answered, as a time limit does', async () => {
    const admission = createAdmission({ refuseAfter: PATIENT });
    const admitting = admission.handler(() => assert.fail('it is admitted'));
    const port = await listen(http.createServer((request, response) => {
      admitting(request, response);
      response.writeHead(503).end('too slow');
    }));
    release = occupy();
    assert.equal((await ask(port)).text, 'too slow');
    const { left, withdrawn, queued } = admission.counts()['user-visible'];
    assert.deepEqual({ left, withdrawn, queued }, { left: 0, withdrawn: 1, queued: 0 });
  });

  it('may have begun an upload', async () => {
    const { port, counts } = await start({ refuseAfter: PATIENT });
    release = occupy();
    const socket = net.connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nbegun');
    await until(() => counts()['user-visible'].queued === 1);
    socket.resetAndDestroy();
    await until(() => counts()['user-visible'].left === 1);
  });
});

describe('Expect: 100-continue', () => {
  const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n' +
    'Connection: close\r\n\r\n';

  const echo = (request, response) => request.pipe(response);
  const echoing = (admission) => admission.handler(echo);

  async function send(refuseAfter, handling = echoing, head = HEAD) {
    const { admission, server, port } = await start({ refuseAfter }, echo);
    server.on('checkContinue', handling(admission));
    release = occupy();
    const socket = net.connect(port, '127.0.0.1').setEncoding('utf8');
    const received = { text: '' };
    socket.on('data', (text) => (received.text += text));
    socket.write(head);
    return { received, socket, admission };
  }

  it('is answered after the decision', async () => {
    const { received, socket, admission } = await send(PATIENT);
    await until(() => admission.counts()['user-visible'].queued === 1);
    assert.equal(received.text, '');
    await release();
    await until(() => received.text !== '');
    assert.equal(received.text, 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('body');
    await once(socket, 'close');
    assert.match(received.text, /200 OK[^]*body/);
  });

  for (const [name, handling] of [
    ['the listener answers it as well', ({ handler }) => handler((request, response) => {
      response.writeContinue();
      echo(request, response);
    })],
    ['code in front of the admission reads the body', (admission) => (request, response) => {
      const body = text(request);
      admission.admit(request, response, async () => response.end(await body));
    }],
    ['the listener reads the body later', ({ handler }) => handler((request, response) => {
      setTimeout(echo, 1, request, response);
    })],
  ]) {
    it(`is answered once if ${name}`, async () => {
      const { received, socket } = await send(PATIENT, handling);
      await release();
      await until(() => received.text !== '');
      socket.write('body');
      await once(socket, 'close');
      assert.match(received.text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK[^]*body/);
    });
  }

  it('is not answered if the listener answers without the body', async () => {
    const tooLarge = (request, response) => response.writeHead(413).end();
    const { received, socket } = await send(PATIENT, ({ handler }) => handler(tooLarge));
    await release();
    await once(socket, 'close');
    assert.match(received.text, /^HTTP\/1\.1 413 /);
  });

  for (const [name, from, to, expected] of [
    ['is answered among other expectations', '100-continue', 'a, 100-Continue', '100'],
    ['of HTTP/1.0 is not answered', 'HTTP/1.1', 'HTTP/1.0', '200'],
  ]) {
    it(name, async () => {
      const head = HEAD.replace(from, to);
      const { received, socket, admission } = await send(PATIENT, echoing, head);
      await release();
      await until(() => admission.counts()['user-visible'].admitted === 1);
      socket.write('body');
      await once(socket, 'close');
      assert.match(received.text, new RegExp(`^HTTP/1.1 ${expected} [^]*body`));
    });
  }

  it('is answered once if the listener answers it as well, with HTTP/2', async () => {
    const server = http2.createServer(() => assert.fail('the body was awaited'));
    server.on('checkContinue', createAdmission().handler((request, response) => {
      response.writeContinue();
      echo(request, response);
    }));
    const client = http2.connect(`http://127.0.0.1:${await listen(server)}`);
    const stream = client.request({ ':method': 'POST', 'expect': '100-continue' });
    let told = 0;
    stream.on('continue', () => {
      told++;
      stream.end('body');
    });
    assert.equal(await text(stream), 'body');
    assert.equal(told, 1);
    client.destroy();
  });

  it('is answered after the decision with HTTP/2', async () => {
    const admission = createAdmission({ refuseAfter: PATIENT });
    const server = http2.createServer(() => assert.fail('the body was awaited'));
    server.on('checkContinue', admission.handler(echo));
    const port = await listen(server);
    release = occupy();
    const client = http2.connect(`http://127.0.0.1:${port}`);
    const stream = client.request({ ':method': 'POST', 'expect': '100-continue' });
    let isTold = false;
    stream.on('continue', () => {
      isTold = true;
      stream.end('body');
    });
    await until(() => admission.counts()['user-visible'].queued === 1);
    assert.equal(isTold, false);
    await release();
    assert.equal(await text(stream), 'body');
    client.destroy();
  });

  it('is not answered if the request is refused', async () => {
    const { received, socket } = await send(SHORT);
    await once(socket, 'close');
    assert.match(received.text, /^HTTP\/1.1 503 /);
  });
});

describe('upgrades', () => {
  it('pass by', async () => {
    const { port, server } = await start({ refuseAfter: PATIENT });
    server.on('upgrade', (request, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n');
    });
    release = occupy();
    const request = http.get({ port, headers: { Connection: 'Upgrade', Upgrade: 'a' } });
    const [, socket] = await once(request, 'upgrade');
    socket.destroy();
  });
});
