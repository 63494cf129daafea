'use strict';

// `uv-scheduler/http`: controllers that are aborted when the client of a request leaves. The
// scenarios with servers are in fixtures/http/, and run in one process on every Node version.
// abort-source.test.js tests signals that other listeners silence or events fake.
// @host each-node faulty

const assert = require('node:assert/strict');
const { getEventListeners, once } = require('node:events');
const http = require('node:http');
const path = require('node:path');
const { PassThrough } = require('node:stream');
const { TaskController } = require('../../..');
const { controllerFor } = require('uv-scheduler/http');
const { PolyfillSignal, foreignSignal } = require('../../helpers/tasks.js');
const { FIXTURES, LIMIT, ROOT, assertOnEachNode, run, testTogether } =
  require('../../helpers/loop.js');

const RUN = path.join(FIXTURES, 'http', 'run.js');
const { SCENARIOS } = require(RUN);

describe('with responses of node:http and node:http2', () => {
  const expected = Object.entries(SCENARIOS).map(([title, each]) => [title, each.expected]);
  testTogether(['--expose-gc', RUN], Object.fromEntries(expected));
});

describe('with a signal', () => {
  it('the controller is aborted with its reason, and leaves no listener on it', () => {
    for (const reason of [new Error('left'), 'left', 0, null]) {
      const source = new AbortController();
      const listeners = () => getEventListeners(source.signal, 'abort').length;
      const { signal } = controllerFor(source.signal);
      assert.deepEqual([signal.aborted, listeners()], [false, 1]);
      source.abort(reason);
      // A later one is aborted at once.
      for (const each of [signal, controllerFor(source.signal).signal]) {
        assert.deepEqual([each.aborted, each.reason, listeners()], [true, reason, 0]);
      }
    }
  });

  it('it can be of another realm, or a polyfill', () => {
    for (const source of [foreignSignal(), new PolyfillSignal()]) {
      const { signal } = controllerFor(source);
      source.abort('left');
      assert.equal(signal.reason, 'left');
    }
  });

  it('aborting the controller does not abort the signal', () => {
    const source = new AbortController();
    const controller = controllerFor(source.signal);
    controller.abort('own');
    assert.equal(source.signal.aborted, false);
    source.abort('later');
    assert.equal(controller.signal.reason, 'own');
  });
});

describe('the controller', () => {
  it('is a TaskController of the package with the priority that was given', () => {
    const source = new AbortController();
    for (const options of [undefined, null, {}, { priority: undefined }]) {
      assert.equal(controllerFor(source.signal, options).signal.priority, 'user-visible');
    }
    for (const priority of ['user-blocking', 'user-visible', 'background']) {
      const controller = controllerFor(source.signal, { priority });
      assert.ok(controller instanceof TaskController);
      assert.equal(controller.signal.priority, priority);
    }
  });

  const CLOSING = {
    'to which a framework has added a stream of its own': () => {
      const request = Object.assign(new http.IncomingMessage(), { httpVersionMajor: 1 });
      return Object.assign(new http.ServerResponse(request), { stream: new PassThrough() });
    },
    ...Object.fromEntries([null, undefined, {}].map((socket) => [`that has the socket ${socket}`,
      () => new http.ServerResponse(Object.assign(new http.IncomingMessage(), { socket }))])),
  };
  for (const [which, create] of Object.entries(CLOSING)) {
    it(`is aborted by a response ${which}, and is the same afterwards`, () => {
      const response = create();
      const controller = controllerFor(response);
      controller.setPriority('background');
      assert.equal(controller.signal.priority, 'background');
      response.emit('close');
      assert.equal(controllerFor(response), controller);
      assert.equal(controller.signal.aborted, true);
    });
  }

  it('of a stand-in is let go when that finishes unclosed', async () => {
    const request = new http.IncomingMessage();
    const response = new http.ServerResponse(request);
    response.assignSocket(new PassThrough());
    const count = () => response.listenerCount('close') + response.listenerCount('finish');
    const before = count();
    const { signal } = controllerFor(response);
    assert.equal(count(), before + 2);
    response.end();
    await once(response, 'finish');
    assert.equal(signal.aborted, false);
    assert.equal(count(), before);
    assert.equal(request.listenerCount('aborted'), 0);
  });
});

it('the module loads neither node:http nor node:http2, whatever Object.prototype has', async () => {
  const code = `
    for (const name of ['get', 'set', 'name', 'code', 'cause', 'stream', 'socket']) {
      Object.defineProperty(Object.prototype, name, {
        __proto__: null, value: 'x', writable: true, configurable: true,
      });
    }
    const loaded = () => new Set(process.moduleLoadList);
    const before = loaded();
    const { controllerFor } = require('uv-scheduler/http');
    const EventEmitter = require('node:events');
    const response = Object.assign(new EventEmitter(), { writableEnded: false });
    response.req = new EventEmitter();
    const { signal } = controllerFor(response);
    response.emit('close');
    const found = [...loaded()].filter((name) => !before.has(name) && /http/.test(name));
    console.log([signal.reason.name, signal.reason.cause.code, ...found].join());`;
  const expected = { code: 0, signal: null, stdout: 'AbortError,ECONNRESET\n', stderr: '' };
  await assertOnEachNode(expected, (node) => run(node, ['-e', code], { cwd: ROOT }));
});

// UV_SCHEDULER_DISABLE=all or admission: admissions pass every request as if there were none, and
// controllers and shutDown() work.
const SERVED = {
  signals: [true, true, true, true],
  pages: ['onetwo', 'onetwo', 'onetwo'],
  own: 'own',
  whileDraining: 'onetwo',
  left: 'AbortError',
  settled: Array(6).fill(true),
  error: 'failed',
  passed: [],
  misspelt: 'ERR_INVALID_ARG_VALUE',
  slow: 'begun ended',
  isListening: false,
  counts: [0, 0, 0],
};

describe('a server while UV_SCHEDULER_DISABLE has a value', () => {
  for (const value of ['all', 'Admission']) {
    it(`serves at once, ends work for clients who leave, and shuts down: ${value}`, async () => {
      const env = { ...process.env, UV_SCHEDULER_DISABLE: value };
      await assertOnEachNode(SERVED, async (node) => {
        const args = [path.join(FIXTURES, 'admitting-server.js')];
        const { stdout, stderr } = await run(node, args, { env });
        return stderr === '' ? JSON.parse(stdout) : stderr;
      });
    }).timeout(LIMIT);
  }
});
