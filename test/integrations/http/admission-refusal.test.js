'use strict';

// createAdmission() of `uv-scheduler/http`: who is refused while there is too little time, and how.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');
const http2 = require('node:http2');
const { text } = require('node:stream/consumers');

const { drain, scheduler } = require('../../..');
const { monitorTasks } = require('uv-scheduler/watch');
const { closeAll, connect, occupy, start, until } = require('../../helpers/admission.js');
const { accept, ended, letVisit, serve, sleep, useClock } =
  require('../../helpers/admission-clock.js');

const SHORT = { refuseAfter: { 'user-visible': 5, 'background': 5 } };

afterEach(closeAll);

describe('a request that has waited too long', () => {
  const test = useClock();

  it('is answered 503 with Retry-After, and important ones are served', async () => {
    const { ask, counts } = serve(({ url }, response) => response.end(url), SHORT);
    const [visible, background, blocking] =
      ['/user-visible', '/background', '/user-blocking'].map((path) => ask(path));
    for (let i = 0; i < 40; i++) {
      scheduler.postTask(() => test.spend(1), { priority: 'user-blocking' });
    }
    await test.flush();
    for (const response of [visible, background]) {
      assert.equal(response.statusCode, 503);
      assert.match(response.getHeader('retry-after'), /^[123]$/);
    }
    assert.equal(blocking.statusCode, 200);
    const all = Object.values(counts());
    const figures = all.map(({ admitted, refused }) => [admitted, refused.wait]);
    assert.deepEqual(figures, [[1, 0], [0, 1], [0, 1]]);
  });

  it('teaches the scheduler nothing, nor if a limit ends it', async () => {
    const { ask, counts } = serve((request, response) => {
      test.spend(20);
      response.end();
    }, { refuseAfter: { 'user-visible': 100 } });
    await letVisit(test, 32, 4000, async (i) => {
      // Those who come behind a request let others get a turn during the pause.
      accept();
      test.spend(0.5);
      const response = ask('/');
      const limit = i % 2 === 0 ? undefined : setTimeout(() => response.end(), 40);
      await ended(response);
      clearTimeout(limit);
      await sleep(20);
    });
    const { admitted, withdrawn, refused } = counts()['user-visible'];
    assert.ok(Math.min(admitted, withdrawn, refused.wait) > 50);
    const [end] = monitorTasks().keys[0].levels['user-visible'];
    assert.ok(end > 10 && end !== 50, `the first level ends at ${end} ms`);
  });
});

it('refuse() gets a request with the reason, and its connection goes on', async () => {
  const refuse = (request, response, reason) => response.writeHead(429).end(reason);
  const { ask } = await start(undefined, { ...SHORT, refuse });
  occupy();
  const options = { headers: { Connection: 'keep-alive' } };
  for (const path of ['/first', '/next']) {
    const { status, text, headers: { connection } } = await ask(path, options);
    assert.deepEqual([status, text, connection], [429, 'wait', 'keep-alive']);
  }
});

it('the connection of a refused request is closed whose answer others have begun', async () => {
  const { ask } = await start(assert.fail, {
    ...SHORT, before: (request, response) => response.write('begun'),
  });
  occupy();
  await assert.rejects(ask('/'), { code: 'ECONNRESET' });
});

describe('a request with a body that was not read', () => {
  it('is refused with Connection: close', async () => {
    const { port } = await start(undefined, SHORT);
    occupy();
    const socket = connect(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n');
    await once(socket, 'close');
    assert.match(socket.text, /^HTTP\/1.1 503 [^]*\r\nConnection: close\r\n/);
  });

  it('has its stream of HTTP/2 reset, and the connection goes on', async () => {
    const { port } = await start(undefined, { ...SHORT, create: http2.createServer });
    occupy();
    const client = http2.connect(`http://127.0.0.1:${port}`);
    const stream = client.request({ ':method': 'POST' });
    stream.on('error', () => {});
    stream.write('begun');
    const [headers] = await once(stream, 'response');
    assert.equal(headers[':status'], 503);
    stream.resume();
    await once(stream, 'close');
    const other = client.request({ ':path': '/user-blocking' });
    const [{ ':status': status }] = await once(other, 'response');
    assert.equal(status, 200);
    client.destroy();
  });
});

describe('a request that waits', () => {
  const test = useClock();

  it('is refused if more wait than maxQueued: the newest of the least important', async () => {
    const { ask, counts } = serve((request, response) => response.end(), { maxQueued: 2 });
    const paths = ['/background', '/background', '/user-visible', '/background'];
    const responses = paths.map((path) => ask(path));
    assert.equal(counts().background.refused.queue, 2);
    await test.flush();
    // The last one is refused itself, as no request is less important.
    assert.deepEqual(responses.map(({ statusCode }) => statusCode), [200, 503, 200, 503]);
  });

  it('is not counted as left if other code has answered, as a time limit does', async () => {
    const { ask, counts } = serve(assert.fail);
    ask('/').writeHead(503).end('too slow');
    await test.flush();
    const { left, withdrawn, queued } = counts()['user-visible'];
    assert.deepEqual({ left, withdrawn, queued }, { left: 0, withdrawn: 1, queued: 0 });
  });
});

for (const [what, sent] of [
  ['is counted and not answered', undefined],
  ['may have begun an upload', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nbegun'],
]) {
  it(`a client that leaves while it waits ${what}`, async () => {
    const { port, counts } = await start(assert.fail);
    const release = occupy();
    const socket = connect(port, sent);
    await until(() => counts()['user-visible'].queued === 1);
    socket.resetAndDestroy();
    await until(() => counts()['user-visible'].left === 1);
    await release();
    await drain();
    assert.equal(counts()['user-visible'].queued, 0);
  });
}

describe('Expect: 100-continue', () => {
  const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n' +
    'Connection: close\r\n\r\n';

  const echo = (request, response) => request.pipe(response);
  const echoing = (admission) => admission.handler(echo);

  // Sends a head to a server that handles it by `handling(admission)`, and keeps it waiting.
  async function send({ handling = echoing, head = HEAD, ...options } = {}) {
    const { server, port, ...admission } = await start(echo, options);
    server.on('checkContinue', handling(admission));
    const release = occupy();
    const socket = connect(port, head);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const answered = async ({ body = 'body', isAwaited = true } = {}) => {
      await release();
      const hasStarted = () => admission.counts()['user-visible'].admitted === 1;
      await until(isAwaited ? () => socket.text !== '' : hasStarted);
      socket.write(body);
      await closed;
      return socket.text;
    };
    return { socket, admission, answered, closed };
  }

  it('is answered after the decision', async () => {
    const { socket, admission, answered } = await send();
    await until(() => admission.counts()['user-visible'].queued === 1);
    assert.equal(socket.text, '');
    assert.match(await answered(), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK[^]*body/);
  });

  const BODY = '100 Continue\r\n\r\nHTTP/1.1 200 OK[^]*body';
  // The head or the handler that differs, and the answer that the client gets.
  for (const [name, { expected = BODY, body, isAwaited, ...options }] of Object.entries({
    'is answered once if the listener answers it as well': {
      handling: ({ handler }) => handler((request, response) => {
        response.writeContinue();
        echo(request, response);
      }),
    },
    'is answered once if code in front of the admission reads the body': {
      handling: (admission) => (request, response) => {
        const body = text(request);
        admission.admit(request, response, async () => response.end(await body));
      },
    },
    'is answered once if the listener reads the body later': {
      handling: ({ handler }) => handler((...both) => void setTimeout(echo, 1, ...both)),
    },
    'is not answered if the listener answers without the body': {
      handling: ({ handler }) => handler((request, response) => response.writeHead(413).end()),
      body: '', expected: '413 ',
    },
    'is answered among other expectations': {
      head: HEAD.replace('100-continue', 'a, 100-Continue'),
    },
    'of HTTP/1.0 is not answered': {
      head: HEAD.replace('HTTP/1.1', 'HTTP/1.0'), isAwaited: false, expected: '200 [^]*body',
    },
  })) {
    it(name, async () => {
      const { answered } = await send(options);
      assert.match(await answered({ body, isAwaited }), new RegExp(`^HTTP/1\\.1 ${expected}`));
    });
  }

  it('is not answered if the request is refused', async () => {
    const { socket, closed } = await send(SHORT);
    await closed;
    assert.match(socket.text, /^HTTP\/1.1 503 /);
  });

  it('is answered after the decision, with HTTP/2', async () => {
    const { server, port, counts, handler } = await start(() => {
      assert.fail('the body was awaited');
    }, { create: http2.createServer });
    server.on('checkContinue', handler(echo));
    const release = occupy();
    const client = http2.connect(`http://127.0.0.1:${port}`);
    const stream = client.request({ ':method': 'POST', 'expect': '100-continue' });
    let told = 0;
    stream.on('continue', () => {
      told++;
      stream.end('body');
    });
    await until(() => counts()['user-visible'].queued === 1);
    assert.equal(told, 0);
    await release();
    assert.deepEqual([await text(stream), told], ['body', 1]);
    client.destroy();
  });
});

it('upgrades pass by', async () => {
  const { port, server } = await start();
  server.on('upgrade', (request, socket) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n');
  });
  occupy();
  const request = http.get({ port, headers: { Connection: 'Upgrade', Upgrade: 'a' } });
  const [, socket] = await once(request, 'upgrade');
  socket.destroy();
});
