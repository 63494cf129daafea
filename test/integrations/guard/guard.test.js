'use strict';

// uv-scheduler/guard in front of servers that know nothing of it.
// @host programs

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { until } = require('../../helpers/admission.js');
const { useFolder } = require('../../helpers/folders.js');
const {
  FLAG, answers, assertServed, exchangesOf, flood, launch, statusOf, stopAll,
} = require('../../helpers/guard.js');
const { attack } = require('../../helpers/hostile-clients.js');
const { FIXTURES, LIMIT, ROOT, endNodes, nodes, run } = require('../../helpers/loop.js');

const SERVER = path.join(FIXTURES, 'guard', 'server.js');
const GUARD = path.join(ROOT, 'dist', 'guard.js');
const PAGES = ['/stream', '/early', '/destroys', '/costly'];
const ERRORS = ['uncaughtException thrown', 'unhandledRejection rejected'];

const inFolder = useFolder(beforeEach, afterEach);

function writeFile(name, content) {
  const file = inFolder(name);
  fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

// Resolves to the output of a program that is run with the flag.
function printed(code, options = {}) {
  const { node = nodes.at(-1), mode = 'observe', flags = ['--import', FLAG], env } = options;
  const file = writeFile('program.mjs', code);
  return run(node, [...flags, file], {
    cwd: ROOT, env: { ...process.env, UV_SCHEDULER_GUARD: mode, ...env },
  });
}

// What programs below have: a server, and its answer to a path.
const ASK = `
  import http from 'node:http';
  import { once } from 'node:events';
  const listen = async (server) => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const ask = async (server, path = '/', headers = {}) => {
    const { port } = server.address();
    const request = http.get({ port, host: '127.0.0.1', path, headers, agent: false });
    const [response] = await once(request, 'response');
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return [response.statusCode, text];
  };
  const print = (value) => console.log(JSON.stringify(value));
  const ANSWER = (request, response) => response.end('a');
`;

afterEach(stopAll);

describe('a guarded server', function () {
  this.timeout(4 * LIMIT);

  for (const node of endNodes) {
    it(`has the same bytes and errors, on Node ${node.version}`, async () => {
      const exchanges = exchangesOf({ more: PAGES });
      const ask = async (mode, known) => {
        const server = await launch(SERVER, { mode, node });
        const texts = await answers(server.port, exchanges, known);
        // Their clients stay.
        for (const each of ['/throws', '/rejects']) statusOf(server.port, each);
        await until(() => ERRORS.every((each) => server.stderr.includes(each)));
        await server.stop();
        return texts;
      };
      const plain = await ask();
      for (const mode of ['observe', 'enforce', 'off']) {
        assert.deepEqual(await ask(mode, plain), plain, mode);
      }
    });
  }

  it('serves other routes while one takes all of the thread, in the mode enforce', async () => {
    const server = await launch(SERVER, { mode: 'enforce' });
    const pages = { costly: '/costly', others: ['/cheap', '/health'] };
    const { flooded, others } = await flood(server.port, pages);
    assertServed(others);
    assert.ok(flooded[200] > 0 && flooded[429] + flooded[503] > 0, JSON.stringify(flooded));
    assert.equal(await server.stop(), 'SIGTERM');
    assert.match(server.stderr, /GET \/costly takes [\d.]+ % of the thread's busy time/);
    assert.ok(server.stderr.split('\n').every((line) => line.length <= 100));
  });

  it('serves other routes while clients invent paths', async () => {
    const server = await launch(SERVER, { mode: 'enforce' });
    const word = (i) => [...`${i}`].map((digit) => 'abcdefghij'[digit]).join('');
    const invented = (i) => `/costly?${i}`;
    const words = (i) => `/${word(i)}/${word(i * 7)}`;
    const floods = [[invented, '/cheap'], [words, '/health']].map(([costly, page]) => {
      return flood(server.port, { costly, others: [page], atOnce: 20 });
    });
    const [{ others: cheap }, { others: health }] = await Promise.all(floods);
    assertServed({ ...cheap, ...health });
  });
});

describe('the memory of a guarded server', () => {
  it('stays as it is while clients invent tenants, crawlers and paths of 60 kB', async () => {
    const config = writeFile('c.json', { mode: 'enforce', key: { header: 'x-tenant' } });
    const code = `${ASK}
      import net from 'node:net';
      const server = await listen(http.createServer(ANSWER));
      const socket = net.connect(server.address().port, '127.0.0.1').setEncoding('latin1');
      let answers = 0;
      let rest = '';
      socket.on('data', (text) => {
        const parts = (rest + text).split('HTTP/1.1 200');
        answers += parts.length - 1;
        rest = parts.at(-1).slice(-11);
      });
      const request = (i) => [
        'GET /' + i.toString(36) + '/' + 'x%'.repeat(i % 1000 === 0 ? 30_000 : 3) + ' HTTP/1.1',
        'Host: a', 'X-Tenant: ' + i, 'User-Agent: Forged' + i + 'bot/1.0', '', ''].join('\\r\\n');
      const heaps = [];
      for (let sent = 0; sent < 30_000;) {
        const batch = Array.from({ length: 100 }, () => request(sent++));
        socket.write(batch.join(''));
        while (answers < sent) await once(socket, 'data');
        if (sent % 10_000 !== 0) continue;
        gc();
        heaps.push(process.memoryUsage().heapUsed);
      }
      print([answers, await ask(server), heaps[2] - heaps[1]]);
      process.exit();`;
    const flags = ['--expose-gc', '--max-http-header-size=100000', '--import', FLAG];
    const { stdout, stderr } = await printed(code, { mode: config, flags });
    const [answered, last, grown] = JSON.parse(stdout);
    assert.deepEqual([answered, last], [30_000, [200, 'a']], stderr);
    // In bytes for each of 10,000 requests: a key that is kept takes more.
    assert.ok(grown / 10_000 < 50, `${grown}`);
  }).timeout(4 * LIMIT);
});

// What that server itself complains of.
const OF_SERVER = /aborted|Trailers are invalid|ECONNRESET|EPIPE/;

describe('a guarded server, in each mode,', function () {
  this.timeout(4 * LIMIT);

  for (const mode of ['observe', 'enforce']) {
    it(`survives clients that behave badly: ${mode}`, async () => {
      const server = await launch(SERVER, { mode });
      const pages = ['/length', '/stream', '/cheap', 'POST /echo'];
      const { refused } = await attack(`http://127.0.0.1:${server.port}`, { pages });
      assert.equal(refused, 0);
      await until(async () => await statusOf(server.port, '/length') === 200);
      assert.equal(await server.stop(), 'SIGTERM');
      const others = server.stderr.split('\n').filter((line) => /^un/.test(line));
      assert.deepEqual(others.filter((line) => !OF_SERVER.test(line)), []);
    });
  }
});

describe('the flag', function () {
  this.timeout(4 * LIMIT);

  it('loads nothing of the package before a request, and no watch after it', async () => {
    const code = `${ASK}
      import { createRequire } from 'node:module';
      const { cache } = createRequire(import.meta.url);
      const isOurs = (each) => /dist.(?:index|http|watch).js$/.test(each);
      const loaded = () => Object.keys(cache).filter(isOurs).length;
      const server = await listen(http.createServer(ANSWER));
      const before = loaded();
      await ask(server);
      print([before, loaded()]);
      server.close();`;
    assert.equal((await printed(code)).stdout, '[0,2]\n');
  });

  for (const flags of [
    ['--import', FLAG, '--require', FLAG, '--import', path.join(ROOT, 'dist', 'guard.js')],
    ['--require', FLAG],
  ]) {
    const names = flags.filter((each) => each.startsWith('--')).join(' ');
    it(`counts each request of a server once: ${names}`, async () => {
      const file = inFolder('report.json');
      const code = `${ASK}
        import http2 from 'node:http2';
        import https from 'node:https';
        const server = await listen(http.createServer(ANSWER));
        await ask(server, '/a');
        // Closed and opened again.
        server.close();
        await once(server, 'close');
        await listen(server);
        await ask(server, '/a');
        // By a key that both sides have, which needs no certificate.
        const psk = Buffer.alloc(16, 1);
        const TLS = { ciphers: 'PSK', maxVersion: 'TLSv1.2', pskIdentityHint: 'a' };
        const own = { ...TLS, pskCallback: () => psk, allowHTTP1: true };
        const theirs = {
          ...TLS, pskCallback: () => ({ psk, identity: 'a' }), checkServerIdentity() {},
        };
        for (const create of [https.createServer, http2.createSecureServer]) {
          const secure = await listen(create(own, ANSWER));
          const address = { port: secure.address().port, host: '127.0.0.1', agent: false };
          const request = https.get({ ...address, path: '/b', ...theirs });
          const [response] = await once(request, 'response');
          await once(response.resume(), 'end');
          if (create === http2.createSecureServer) {
            const client = http2.connect('https://127.0.0.1:' + address.port, theirs);
            await once(client.request({ ':path': '/c' }).resume(), 'close');
            client.close();
          }
          secure.close();
        }
        server.close();`;
      const env = { UV_SCHEDULER_GUARD_FILE: file };
      const { code: exit, stderr } = await printed(code, { flags, env });
      assert.equal(exit, 0, stderr);
      const [name] = fs.readdirSync(inFolder()).filter((each) => each.startsWith('report.'));
      const report = JSON.parse(fs.readFileSync(inFolder(name), 'utf8'));
      const counts = report.routes.map(({ route, requests }) => [route, requests]).sort();
      assert.deepEqual(counts, [['GET /a', 2], ['GET /b', 2], ['GET /c', 1]]);
      assertConforms(report, require('uv-scheduler/guard/report-schema.json'));
    });
  }

  it('lets events pass by that a test emits, and listeners that were never there', async () => {
    const code = `${ASK}
      const server = http.createServer(ANSWER);
      const events = [];
      server.on('request', (request) => events.push(request.url));
      print([server.emit('request', { url: '/by-hand' }, { end() {} }), events,
        server.listeners('request').length, server.emit('nothing')]);
      print([http.Server.prototype.emit.name, Object.keys(server).includes('emit')]);`;
    const { stdout, stderr } = await printed(code, { mode: 'enforce' });
    assert.deepEqual([stdout, stderr], ['[true,["/by-hand"],2,false]\n["emit",false]\n', '']);
  });

  it('guards the servers of workers and of a cluster', async () => {
    const code = `${ASK}
      import cluster from 'node:cluster';
      import { Worker, isMainThread } from 'node:worker_threads';
      if (cluster.isPrimary && isMainThread) {
        cluster.fork();
        await once(cluster, 'exit');
        new Worker(new URL(import.meta.url));
      } else {
        const server = await listen(http.createServer(ANSWER));
        await ask(server, cluster.isWorker ? '/cluster' : '/worker');
        server.close();
        if (cluster.isWorker) process.disconnect();
      }`;
    const { stderr } = await printed(code);
    for (const name of ['/cluster', '/worker']) assert.ok(stderr.includes(`  GET ${name}\n`));
  });

  it('stands beside an APM agent that replaces emit() before or behind it', async () => {
    const agent = writeFile('agent.cjs', `
      const http = require('node:http');
      const { AsyncLocalStorage } = require('node:async_hooks');
      const storage = globalThis.storage = new AsyncLocalStorage();
      const { emit } = http.Server.prototype;
      // As newrelic does it, which throws in an event without its context.
      const bind = (emitter, name, url) => {
        const { emit: own } = emitter;
        emitter.emit = (...args) => storage.run(url, () => own.apply(emitter, args));
        emitter.on(name, () => {
          if (storage.getStore() !== url) console.log(name + ' has lost its context');
        });
      };
      http.Server.prototype.emit = function (event, ...args) {
        if (event !== 'request') return emit.call(this, event, ...args);
        const [request, response] = args;
        return storage.run(request.url, () => {
          bind(request, 'close', request.url);
          bind(response, 'finish', request.url);
          return emit.call(this, event, ...args);
        });
      };`);
    const code = `${ASK}
      const server = await listen(http.createServer(async (request, response) => {
        await new Promise(setImmediate);
        response.end(globalThis.storage.getStore());
      }));
      print(await Promise.all(['/a', '/b'].map((path) => ask(server, path))));
      server.close();`;
    for (const order of [['--require', agent, '--import', FLAG], ['-r', FLAG, '-r', agent]]) {
      for (const mode of ['observe', 'enforce']) {
        const { stdout, stderr } = await printed(code, { flags: order, mode });
        assert.equal(stdout, '[[200,"/a"],[200,"/b"]]\n');
        for (const name of ['/a', '/b']) assert.match(stderr, new RegExp(` 1 .*  GET ${name}\n`));
      }
    }
  });

  it('serves the requests that a page sends to its own server', async () => {
    const server = await launch(path.join(FIXTURES, 'guard', 'self-calls.js'), { mode: 'enforce' });
    const visits = Array.from({ length: 30 }, () => statusOf(server.port, '/page'));
    const statuses = await Promise.all(visits);
    assert.ok(statuses.filter((each) => each === 200).length > 5, `${statuses}`);
  });
});

describe('the end of a guarded process', function () {
  this.timeout(4 * LIMIT);

  const signals = process.platform === 'win32' ? [] : ['SIGINT', 'SIGTERM'];
  for (const signal of signals) {
    it(`comes by ${signal} as without a guard, behind the table`, async () => {
      const server = await launch(SERVER, { mode: 'observe' });
      await statusOf(server.port, '/cheap');
      assert.equal(await server.stop(signal), signal);
      assert.match(server.said()[0], /^mode observe, [\d.]+ s, the thread was busy for [\d.]+ %$/);
    });
  }

  const OWN = `process.once('SIGTERM', () => {
    console.log('own');
    setImmediate(() => process.exit(7));
  })`;
  const signalExit = path.join(FIXTURES, 'signal-exit.js');
  const OF_SIGNAL_EXIT = `createRequire(import.meta.url)(${JSON.stringify(signalExit)})
    .listenTo('SIGTERM')`;

  for (const [title, own, end] of [
    ['is the program\'s where it has a listener of a signal', OWN, [7, null]],
    ['comes by the signal where only signal-exit listens to it', OF_SIGNAL_EXIT, [null, 'SIGTERM']],
  ]) {
    it(`${title}, at whatever time`, async () => {
      for (const when of ['before', 'after']) {
        const code = `${ASK}
          import { createRequire } from 'node:module';
          const listenToSignal = () => { ${own} };
          if (${JSON.stringify(when)} === 'before') listenToSignal();
          const server = await listen(http.createServer(ANSWER));
          await ask(server);
          if (${JSON.stringify(when)} === 'after') listenToSignal();
          process.kill(process.pid, 'SIGTERM');`;
        const { code: exit, signal, stdout, stderr } = await printed(code);
        assert.deepEqual([exit, signal, stdout], [...end, 'own\n']);
        assert.match(stderr, /GET \//);
      }
    });
  }
});

describe('the configuration', function () {
  this.timeout(4 * LIMIT);
  const program = `${ASK}
    const server = await listen(http.createServer((request, response) => response.end('served')));
    print(await ask(server, '/a', { 'x-tenant': 't' }));
    server.close();`;
  const SERVED = '[200,"served"]\n';

  for (const [title, [name, content, fault]] of Object.entries({
    'an unknown option':
      ['c.json', { prioritys: [] }, /c\.json: unknown option 'prioritys' \(known are .*mode/],
    'a wrong value': ['c.json', { health: { port: '80' } },
      /c\.json: health\.port must be of type integer, but is "80"/],
    'a wrong pattern': ['c.json', { priorities: [{ match: 'a(', priority: 'background' }] },
      /priorities\[0\]\.match is no pattern/],
    'a wrong key': ['c.json', { key: 'tenant' }, /c\.json: key must be route, address/],
    'no JSON': ['c.json', '{', /c\.json: .*JSON/],
    'a module that throws': ['c.mjs', 'throw new Error("own")', /own/],
    'a file that is not there': [undefined, undefined, /no-such\.json/],
    'a file of another kind': ['c.yml', '', /must be observe, enforce, off, or the name of a f/],
  })) {
    it(`with ${title} is one line at the start, and the server runs`, async () => {
      const file = name === undefined ? inFolder('no-such.json') : writeFile(name, content);
      const { stdout, stderr } = await printed(program, { mode: file });
      assert.equal(stdout, SERVED);
      assert.match(stderr, fault);
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
    });
  }

  it('can be a module, whose functions fail no request', async () => {
    for (const [name, start] of [['c.mjs', 'export default'], ['c.cjs', 'module.exports =']]) {
      const key = "key: () => { throw new Error('own'); }";
      const file = writeFile(name, `${start} { mode: 'enforce', ${key} };`);
      const { stdout, stderr } = await printed(program, { mode: file });
      assert.equal(stdout, SERVED);
      assert.match(stderr, /a function of the guard's configuration has failed: own/);
      assert.match(stderr, /mode enforce/);
    }
  });

  it('has no effect where UV_SCHEDULER_DISABLE turns admissions off', async () => {
    const env = { UV_SCHEDULER_DISABLE: 'admission' };
    const { stdout, stderr } = await printed(program, { env });
    assert.deepEqual([stdout, stderr], [SERVED, '']);
  });

  it('is looked at again for its mode', async () => {
    const file = writeFile('c.json', { mode: 'observe' });
    const server = await launch(SERVER, { mode: file });
    await statusOf(server.port, '/cheap');
    fs.writeFileSync(file, '{"mode":');
    await until(() => server.stderr.includes('the mode of the guard stays observe'));
    fs.writeFileSync(file, '{"mode":"enforce"}');
    await until(() => server.stderr.includes('the mode of the guard is enforce now'));
    await server.stop();
  });

  it('has probes answered, and routes shown as a page and as JSON', async () => {
    const program = `${ASK}
      const free = await listen(http.createServer());
      const { port } = free.address();
      free.close();
      const { guard } = await import(process.env.GUARD);
      const server = await listen(guard(http.createServer(ANSWER), { health: { port } }));
      await ask(server, '/<b>');
      const health = { address: () => ({ port }) };
      const probes = [await ask(health, '/live'), await ask(health, '/ready')];
      const [, json] = await ask(health, '/guard');
      const [, page] = await ask(health, '/guard', { accept: 'text/html' });
      const { mode, routes: [{ route, requests }] } = JSON.parse(json);
      print([probes, mode, route, requests, page.includes('GET /&lt;b&gt;')]);
      process.exit();
    `;
    const { stdout } = await printed(program, { flags: [], env: { GUARD } });
    const probes = [[200, 'ok'], [200, 'ok']];
    assert.deepEqual(JSON.parse(stdout), [probes, 'observe', 'GET /<b>', 1, true]);
  });

  it('says which priority and key requests have', async () => {
    const file = writeFile('c.json', {
      mode: 'enforce',
      priorities: [
        { match: 'POST /orders/:id', priority: 'user-blocking' },
        { match: '/docs/*', priority: 'background' },
      ],
      key: { header: 'X-Tenant' },
    });
    const text = `${ASK}
      import { currentTaskSignal } from ${JSON.stringify(path.join(ROOT, 'dist', 'index.js'))};
      const server = await listen(http.createServer((request, response) => {
        response.end(currentTaskSignal()?.priority ?? 'none');
      }));
      const by = (agent) => ({ 'user-agent': 'Mozilla/5.0 (' + agent });
      print([
        await ask(server, '/docs/a/b'), await ask(server, '/orders/1'),
        await ask(server, '/a', by('compatible; Googlebot/2.1; +http://www.google.com/bot.html)')),
        await ask(server, '/a', by('X11; Linux x86_64) Chrome/140.0 Safari/537.36')),
        await ask(server, '/healthz'),
      ].map(([, priority]) => priority));
      server.close();`;
    for (const node of endNodes) {
      const { stdout } = await printed(text, { mode: file, node });
      assert.equal(stdout, '["background","user-visible","background","user-visible","none"]\n');
    }
  });
});

describe('guard()', () => {
  it('guards one server, and leaves the others alone', async () => {
    const code = `${ASK}
      import { guard } from ${JSON.stringify(path.join(ROOT, 'dist', 'guard.js'))};
      const own = await listen(http.createServer(ANSWER));
      const other = await listen(http.createServer(ANSWER));
      print(guard(own, { mode: 'observe' }) === own);
      await ask(own, '/own');
      await ask(other, '/other');
      own.close();
      other.close();`;
    const { stdout, stderr } = await printed(code, { flags: [] });
    assert.equal(stdout, 'true\n');
    assert.match(stderr, /GET \/own\n/);
    assert.doesNotMatch(stderr, /GET \/other\n/);
  }).timeout(LIMIT);
});

// Asserts that a value has what a JSON schema requires, and nothing of another type.
function assertConforms(value, schema) {
  const { type, required = [], properties = {}, items, enum: values, const: only } = schema;
  if (type === 'array') assert.ok(Array.isArray(value));
  else if (type === 'integer') assert.ok(Number.isInteger(value));
  else if (type !== undefined) assert.equal(typeof value, type);
  if (values !== undefined) assert.ok(values.includes(value), value);
  if (only !== undefined) assert.equal(value, only);
  for (const name of required) assert.ok(name in value, name);
  for (const [name, each] of Object.entries(type === 'object' ? value : {})) {
    assert.ok(name in properties, name);
    assertConforms(each, properties[name]);
  }
  if (type === 'array') for (const each of value) assertConforms(each, items);
}
