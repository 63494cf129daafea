'use strict';

// A host or a library lacks something that it does not document: one of the things that
// lib/loading/undocumented.js lists.
// @host each-node

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');
const http2 = require('node:http2');
const inspector = require('node:inspector');
const path = require('node:path');
const { text } = require('node:stream/consumers');
const { Registry } = require('prom-client');
const { scheduler } = require('../..');
const { reportSlowTasks } = require('uv-scheduler/watch');
const { createAdmission, shutDown } = require('../../integrations/http');
const { isPrerenderedByNext } = require('../../integrations/react/next.js');
const { timeToNextTimer } = require('../../integrations/testing/fake-timers.js');
const undocumented = require('../../lib/loading/undocumented.js');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');
const { closeAll, listen, until } = require('../helpers/admission.js');
const { FIXTURES, LIMIT, ROOT, assertOnEachNode, run, testTogether } =
  require('../helpers/loop.js');
const { busy } = require('../helpers/tasks.js');

describe('a task inherits in its own chain alone if ticks and microtasks are resources', () => {
  const inherited = { own: ['tick', 'microtask', 'reaction', 'turns'], others: [] };
  const expected = [
    'as they are', 'of a class of their own', 'of a subclass of AsyncResource',
    'of a class each, with their async id', 'plain, with the callback under another name',
    'without a resource',
  ].map((kind) => [kind, inherited]);
  testTogether([path.join(FIXTURES, 'unknown-resources.js')], Object.fromEntries(expected));
});

// An object without properties under symbols, as seen from outside.
const withoutSymbols = (object) => new Proxy(object, {
  ownKeys: (target) => Reflect.ownKeys(target).filter((key) => typeof key !== 'symbol'),
});

// Programs and what they print.
const PROGRAMS = {
  // Hides the stores of channels.
  'calls a task with the stores that a channel keeps elsewhere': [`
    const { channel } = require('node:diagnostics_channel');
    const { AsyncLocalStorage } = require('node:async_hooks');
    const { scheduler } = require('uv-scheduler');
    const store = new AsyncLocalStorage();
    const other = channel('other');
    other.bindStore(store);
    const prototype = Object.getPrototypeOf(other);
    other.unbindStore(store);
    const { bindStore, runStores } = prototype;
    const hidden = new WeakMap();
    prototype.bindStore = function (...args) {
      bindStore.apply(this, args);
      hidden.set(this, this._stores);
      this._stores = new Map();
    };
    prototype.unbindStore = function () {};
    prototype.runStores = function (...args) {
      this._stores = hidden.get(this) ?? this._stores;
      return runStores.apply(this, args);
    };
    channel('tracing:uv-scheduler:task:start').bindStore(store, ({ label }) => label);
    scheduler.postTask(() => console.log(store.getStore()), { label: 'task' });`, 'task'],

  'shows a section at once to a React that reads no `status`': [`
    const { Section } = require('./integrations/react/section.js');
    const held = new Section({ priority: 'user-visible' }).show(() => 'content');
    held.then(console.log);`, 'content'],

  'warns once if a Worker of BullMQ lacks a method': [`
    const { Worker } = require('bullmq');
    const { IdleWorker } = require('uv-scheduler/bullmq');
    for (const name of ['_getNextJob', 'updateDelays']) delete Worker.prototype[name];
    process.on('warning', ({ name, code, message }) => {
      console.log(name, code, message);
      setImmediate(() => process.exit());
    });
    class Unconnected extends IdleWorker { on() { return this; } }
    for (let i = 0; i < 2; i++) {
      try {
        new Unconnected('queue', () => {}, { connection: { lazyConnect: true }, autorun: false });
      } catch {}
    }`, 'UvSchedulerWarning UV_SCHEDULER_BULLMQ uv-scheduler/bullmq does not know this version ' +
      'of BullMQ, whose Worker lacks _getNextJob,updateDelays: IdleWorker may fetch jobs while ' +
      'the event loop is busy. Look for a newer uv-scheduler.'],
};

// What `process._tickCallback` is before the package is loaded and from the second pass on, and how
// often it is called.
const TICK_CALLBACKS = {
  'is as it is': ['', '', { atLeast: 3 }],
  'is taken away after the first pass': ['', 'set(undefined)', { atLeast: 3 }],
  'is missing': ['set(undefined)', '', { atMost: 0 }],
  'does nothing': ['inner = () => {}', '', { atMost: 1 }],
  'has another name': ['set(() => { calls++; throw new Error("unknown"); })', '', { atMost: 0 }],
};

// Logs tasks with their contexts, ticks, microtasks, an exception and a rejection.
const programOfTicks = (before, after) => `
  const { AsyncLocalStorage } = require('node:async_hooks');
  let calls = 0;
  let inner = process._tickCallback;
  const set = (callback) => { process._tickCallback = callback; };
  set(function runNextTicks() { calls++; inner(); });
  ${before};
  const { scheduler } = require('uv-scheduler');
  const lines = [];
  const log = (line) => lines.push(line);
  process.on('uncaughtException', ({ message }) => log(message));
  process.on('unhandledRejection', ({ message }) => log(message));
  const storage = new AsyncLocalStorage();
  const faults = {
    two: () => process.nextTick(() => { throw new Error('thrown'); }),
    three: () => Promise.reject(new Error('rejected')),
  };
  const post = (name) => storage.run(name, () => scheduler.postTask(() => {
    log(storage.getStore());
    faults[name]?.();
    process.nextTick(() => log('tick ' + storage.getStore()));
    queueMicrotask(() => log('microtask ' + storage.getStore()));
  }));
  post('one').then(() => setImmediate(() => {
    ${after};
    Promise.all(['two', 'three', 'four'].map(post))
      .then(() => setTimeout(() => console.log(JSON.stringify({ calls, lines }))));
  }));`;

const LINES_OF_TICKS = ['one', 'two', 'three', 'four'].flatMap((name) => [
  name, ...(name === 'two' ? ['thrown'] : []), `tick ${name}`, `microtask ${name}`,
  ...(name === 'three' ? ['rejected'] : []),
]);

describe('tasks, their ticks and microtasks have their order if `process._tickCallback`', () => {
  for (const [title, [before, after, { atLeast = 0, atMost = Infinity }]] of
    Object.entries(TICK_CALLBACKS)) {
    it(title, () => assertOnEachNode({ lines: LINES_OF_TICKS, isExpected: true }, async (node) => {
      const result = await run(node, ['-e', programOfTicks(before, after)], { cwd: ROOT });
      assert.equal(result.stderr, '');
      const { calls, lines } = JSON.parse(result.stdout);
      return { lines, isExpected: calls >= atLeast && calls <= atMost };
    })).timeout(4 * LIMIT);
  }

  it('warns when it is called', () => assertOnEachNode(LINES_OF_TICKS, async (node) => {
    const program = programOfTicks('', '').replace('set(function', 'void (function');
    const flags = ['--pending-deprecation', '--throw-deprecation', '-e', program];
    return JSON.parse((await run(node, flags, { cwd: ROOT })).stdout).lines;
  })).timeout(4 * LIMIT);
});

describe('a feature without what it relies on', () => {
  afterEach(closeAll);

  for (const [title, [program, printed]] of Object.entries(PROGRAMS)) {
    it(title, async () => {
      const expected = { code: 0, signal: null, stdout: `${printed}\n`, stderr: '' };
      await assertOnEachNode(expected, (node) =>
        run(node, ['--no-warnings', '-e', program], { cwd: ROOT }));
    }).timeout(4 * LIMIT);
  }

  it('ends a server of HTTP/1 whose connections are unknown', async () => {
    let response;
    const server = http.createServer((req, res) => (response = res));
    const agent = new http.Agent({ keepAlive: true });
    const request = http.get({ agent, host: '127.0.0.1', port: await listen(server) });
    await once(server, 'request');
    const ended = shutDown(withoutSymbols(server));
    response.end('answer');
    const [answer] = await once(request, 'response');
    assert.equal(await text(answer), 'answer');
    await ended;
    agent.destroy();
  }).timeout(LIMIT);

  for (const [how, isSilent] of [['at its next request', false], ['at the timeout', true]]) {
    it(`ends a server of HTTP/2 whose sessions are unknown, ${how}`, async () => {
      const server = http2.createServer((request, response) => response.end('answer'));
      const client = http2.connect(`http://127.0.0.1:${await listen(server)}`);
      client.on('error', () => {});
      await once(client, 'remoteSettings');
      const ended = shutDown(withoutSymbols(server), isSilent ? { timeout: 100 } : {});
      if (!isSilent) assert.equal(await text(client.request({ ':path': '/' })), 'answer');
      await ended;
      client.destroy();
    }).timeout(LIMIT);
  }

  for (const [what, hide, continues] of [
    ['a request has no `_read()` to watch', (request) => (request._read = undefined), 1],
    ['a response does not tell that it has sent it', (request, response) => {
      Object.defineProperty(response, '_sent100', { get: () => undefined, set() {} });
    }, 2],
  ]) {
    it(`sends \`100 Continue\` if ${what}`, async () => {
      const admission = createAdmission();
      const server = http.createServer();
      server.on('checkContinue', (request, response) => {
        hide(request, response);
        admission.admit(request, response, () => {
          if (continues > 1) response.writeContinue();
          else delete request._read;
          request.pipe(response);
        });
      });
      const headers = { Expect: '100-continue' };
      const options = { host: '127.0.0.1', port: await listen(server), method: 'POST', headers };
      const request = http.request(options);
      request.flushHeaders();
      let count = 0;
      request.on('continue', () => {
        if (count++ === 0) request.end('body');
      });
      const [response] = await once(request, 'response');
      assert.equal(await text(response), 'body');
      assert.equal(count, continues);
    });
  }

  it('reports slow tasks without stacks if a profile does not come at once', async () => {
    const { profileEnd } = inspector.console;
    inspector.console.profileEnd = () => {};
    const reports = [];
    const options = { duration: 20, stacks: 'profile' };
    const reporting = reportSlowTasks((report) => reports.push(report), options);
    try {
      await scheduler.postTask(() => busy(30), { label: 'slow' });
      await until(() => reports.length > 0);
      const [{ functions, stack }] = reports;
      assert.deepEqual({ functions, stack }, { functions: [], stack: [] });
    } finally {
      reporting.stop();
      inspector.console.profileEnd = profileEnd;
    }
  });

  it('takes its metrics back, and warns, if a register of prom-client reads others', async () => {
    const register = new Registry();
    register.getMetricsAsString = (metric) => `# TYPE ${metric.name}`;
    collectTaskMetrics({ register });
    const [warning] = await once(process, 'warning');
    assert.equal(warning.code, 'UV_SCHEDULER_PROMETHEUS');
    assert.deepEqual(register.getMetricsAsArray(), []);
  });
});

describe('without what a host or a library does not document', () => {
  const {
    aroundKill, denoCore, hasNoStack, hasNoStores, hasOpenServer, isClassComponent,
    isGarbageCollection, isMemo, isNoFunction, isTransparentType, methodsMissingIn, original,
    profileOrNone, responsesUnderWay, retry, serverOf, sessionOn, sessionsOf, storageOfNext,
    untrackJob,
  } = undocumented;
  const symbol = (description, value) => ({ [Symbol(description)]: value });
  const connections = (value) => symbol('http.server.connections', value);

  // Calls a function while a property of an object has another value.
  function withValue(object, name, value, callback) {
    const before = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
    try {
      return callback();
    } finally {
      if (before === undefined) delete object[name];
      else Object.defineProperty(object, name, before);
    }
  }

  const timeToNextOf = (timers) => {
    const clock = { timers, countTimers: () => 1, now: 0 };
    const fake = Object.assign(() => {}, { clock });
    return withValue(globalThis, 'setTimeout', fake, timeToNextTimer);
  };

  const internal = Symbol('Deno.internal');
  const noPair = { getAsyncContext: () => 1, setAsyncContext: () => assert.fail('not a pair') };
  const coreOf = (core) =>
    withValue(globalThis, 'Deno', { internal, [internal]: { core } }, denoCore);

  // By title: a probe, its answer, and what it gives it for.
  const ANSWERS = {
    'a message goes to the stores that its channel may have':
      [hasNoStores, false, {}, { _stores: {} }, { _stores: [] }],
    'a server that shuts down closes other connections when they are idle':
      [responsesUnderWay, [], {}, connections(undefined), connections({}),
        connections({ all: () => [undefined, {}, { socket: {} }] })],
    'a server that shuts down knows no session':
      [sessionsOf, [], {}, symbol('sessions', undefined), symbol('sessions', new Set([{}]))],
    'a server that shuts down knows no accepted socket':
      [serverOf, undefined, undefined, {}, { server: undefined }, { server: null }],
    'a server that shuts down knows no session of a socket':
      [sessionOn, undefined, {}, symbol('session', {})],
    'a report of a slow callback has no stacks':
      [(profile) => profileOrNone(profile).nodes, [], undefined, {}, { nodes: [] }],
    'a program listens from its first connection on': [
      (names) => withValue(process, 'getActiveResourcesInfo', () => names, hasOpenServer),
      false, ['Timeout', 'TCPWRAP']],
    'fake timers that come first are used as they are':
      [(fake) => original(fake, 'nextTick') === fake, true, { clock: {} }],
    'the times of fake timers are unknown':
      [timeToNextOf, undefined, undefined, null, {}, [], new Map()],
    'nothing is called when a process kills itself': [
      (kill) => withValue(process, '_kill', kill, () => {
        aroundKill(assert.fail)();
        return process._kill === kill;
      }), true, undefined, {},
    ],
    'Deno has none of the functions of its core': [coreOf, {}, undefined, {}, noPair],
    'the components of React are rendered as they are':
      [(type) => isMemo(type) || isTransparentType(type), false,
        undefined, null, {}, { $$typeof: Symbol('new') }],
    'no function of React is a class': [isClassComponent, false, () => {}],
    'classes of React are known by their method': [isClassComponent, true, class { render() {} }],
  };
  for (const [title, [probe, answer, ...values]] of Object.entries(ANSWERS)) {
    it(title, () => {
      for (const value of values) assert.deepEqual(probe(value), answer);
    });
  }

  it('a report takes no sample in parentheses for a function', () => {
    const frame = (functionName, url = '') => ({ functionName, url });
    const names = ['(root)', '(program)', '(idle)', '(a new one)', '(garbage collector)', 'sort'];
    assert.deepEqual(names.filter((name) => isNoFunction(frame(name))), names.slice(0, 4));
    assert.deepEqual(names.filter((name) => isGarbageCollection(frame(name))), [names[4]]);
    assert.deepEqual(names.filter((name) => hasNoStack(frame(name))), [names[1]]);
    assert.equal(isNoFunction(frame('(idle)', 'file:///app.js')), false);
  });

  it('the sections of a prerender of Next.js wait for their turns', () => {
    assert.equal(storageOfNext(), undefined);
    const name = Symbol('@next/work-unit-async-storage@none');
    const found = withValue(globalThis, name, {}, () => [storageOfNext(), isPrerenderedByNext()]);
    assert.deepEqual(found, [undefined, false]);
  });

  it('IdleWorker names the methods that BullMQ lacks, and repeats no command', async () => {
    assert.equal(methodsMissingIn(class {}).length, 5);
    assert.equal(untrackJob({}, { id: 1 }), undefined);
    const errors = [];
    const worker = { emit: (event, error) => errors.push([event, error]) };
    assert.equal(await retry(worker, async () => { throw new Error('away'); }), undefined);
    assert.deepEqual(errors, [['error', new Error('away')]]);
    assert.equal(await retry(worker, async () => 1), 1);
  });
});
