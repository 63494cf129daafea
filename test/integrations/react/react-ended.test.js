'use strict';

// <Scheduled> in renders that end before their pages are complete: they leave nothing behind, and
// no other page waits for their sections. Renders that go on are completed, however late React
// comes, and also while drain() waits.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');
const path = require('node:path');
const { text } = require('node:stream/consumers');
const { setImmediate: turn } = require('node:timers/promises');
const { use } = require('react');
const { renderToPipeableStream } = require('react-dom/server');
const { renderToReadableStream: renderToEdgeStream } = require('react-dom/server.edge');
const { controllerFor } = require('uv-scheduler/http');
const { Scheduled } = require('uv-scheduler/react');
const { drain, onIdle, scheduler } = require('../../..');
const { FIXTURES, LIMIT, nodes, testTogether } = require('../../helpers/loop.js');
const { countTurns, h, page, render, sections } = require('../../helpers/react.js');
const { output } = require('../../helpers/tasks.js');
const { endsOf } = require('../../fixtures/react/ends.js');

const program = (name) => path.join(FIXTURES, 'react', name);
const numbers = (count) => Array.from({ length: count }, (_, number) => number);
const background = () => ({ priority: 'background' });

// The variants of the program, beside React's two renderers and modes.
const PROGRAMS = [
  ['HTML', 'production'],
  ['server components', 'development'],
  ['HTML', 'production', 'copy'],
  ['server components', 'production', 'copy'],
  ['server components', 'production', 'early'],
];

for (const [kind, mode, variant = 'none'] of PROGRAMS) {
  describe(`a render that ends early leaves nothing behind (${kind}, ${mode}, ${variant})`, () => {
    const conditions = kind === 'HTML' ? [] : ['--conditions=react-server'];
    const args = ['--expose-gc', ...conditions, program('ended.js'), variant, kind];
    const expected = endsOf(kind).map(({ name }) => [name, 'no wait, 0 kept']);
    const env = { ...process.env, NODE_ENV: mode };
    const on = variant === 'none' ? nodes : [nodes.at(0), nodes.at(-1)];
    testTogether(args, Object.fromEntries(expected), { env, on });
  });
}

describe('a render that ends early while other work keeps its sections from a turn', () => {
  testTogether(['--expose-gc', program('ended.js'), 'held', 'HTML'], { held: [0, 10] });
});

describe('a server whose clients leave at the first byte', () => {
  const SECTIONS = 20;
  const LEAVERS = 20;
  const PAGES = 5;

  // Some turns are those of clients that are about to leave.
  const MOST_TURNS = 10 * SECTIONS;

  let counter;
  let server;
  let turns;
  let isOver;

  beforeEach(async () => {
    counter = countTurns();
    turns = [];
    isOver = false;
    server = http.createServer((request, response) => {
      const begin = counter.turn;
      const stream = renderToPipeableStream(page(SECTIONS, String), {
        onShellReady: () => stream.pipe(response),
        onError() {},
      });
      response.on('close', () => {
        if (!response.writableFinished) stream.abort();
        else if (request.url === '/page') turns.push(counter.turn - begin);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    isOver = true;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    counter.end();
  });

  async function comeAndLeave() {
    while (!isOver) {
      const socket = net.connect(server.address().port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      socket.once('data', () => socket.destroy());
      await new Promise((resolve) => socket.on('close', resolve));
      await turn();
    }
  }

  it('sends whole pages to those who stay, about as soon as if they were alone', async () => {
    for (let count = 0; count < LEAVERS; count++) comeAndLeave();
    const { port } = server.address();
    for (let count = 0; count < PAGES; count++) {
      const request = http.get({ port, host: '127.0.0.1', path: '/page', agent: false });
      const [response] = await once(request, 'response');
      assert.equal(sections(await text(response)).length, SECTIONS);
    }
    assert.ok(Math.max(...turns) < MOST_TURNS, turns.join(' '));
  });
});

// As the recipe on React has it.
describe('what React reports to onError', () => {
  let server;
  let errors;
  let shellErrors;
  let element;
  let onClose;

  beforeEach(async () => {
    errors = [];
    shellErrors = [];
    server = http.createServer((request, response) => {
      const { signal } = controllerFor(response);
      const { pipe, abort } = renderToPipeableStream(element, {
        onShellReady: () => pipe(response),
        onShellError(error) {
          shellErrors.push(error === signal.reason);
          response.writeHead(500).end();
        },
        onError(error) {
          errors.push(error === signal.reason ? 'left' : `${error.name}: ${error.message}`);
        },
      });
      signal.addEventListener('abort', () => {
        abort(signal.reason);
        // React ends an aborted render in an immediate.
        setImmediate(() => setImmediate(onClose));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  // Sends a request, and leaves when `isTime` is fulfilled.
  async function leave(isTime) {
    const closed = new Promise((resolve) => (onClose = resolve));
    const socket = net.connect(server.address().port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await isTime(socket);
    socket.destroy();
    await closed;
  }

  it('is the reason of the signal when a client has left, or what the site throws', async () => {
    const COUNT = 100;
    const note = (number) => {
      if (number === 0) throw new Error('thrown');
      if (number === 3) reached();
      return number;
    };
    let reached;
    const isReached = new Promise((resolve) => (reached = resolve));
    element = page(COUNT, note);
    await leave((socket) => Promise.all([isReached, once(socket, 'data')]));
    assert.equal(errors[0], 'Error: thrown');
    assert.deepEqual([...new Set(errors.slice(1))], ['left']);
    assert.ok(errors.length <= COUNT - 2, `${errors.length} errors`);
    assert.deepEqual(shellErrors, []);
  });

  it('is the reason also when there is no shell yet', async () => {
    let reached;
    const isReached = new Promise((resolve) => (reached = resolve));
    const Shell = () => {
      reached();
      return use(never);
    };
    const never = new Promise(() => {});
    element = h('main', null, h(Shell));
    await leave(() => isReached);
    assert.deepEqual(errors, ['left']);
    assert.deepEqual(shellErrors, [true]);
  });

  it('is an AbortError when drain() refuses work of a section', async () => {
    const data = scheduler.postTask(assert.fail, background());
    const Section = () => use(data);
    const rendered = render(h('main', null, h(Scheduled, null, h(Section))));
    await drain();
    const names = (await rendered).errors.map(({ name }) => name);
    assert.deepEqual(names, ['AbortError']);
  });
});

describe('a render that goes on', () => {
  const { setTimeout: original } = globalThis;

  afterEach(() => {
    globalThis.setTimeout = original;
  });

  it('is completed, however late React comes to its sections', async () => {
    // React's build for edge runtimes renders in timers.
    globalThis.setTimeout = (callback) => original(callback, 20);
    const log = [];
    const stream = await renderToEdgeStream(page(12, (number) => log.push(number)));
    await stream.allReady;
    assert.equal(log.length, 12);
  });

  it('gets a further turn for a section if React comes late and there is no room', async () => {
    // In a process of its own, as each load of the gates takes the turns over.
    const lines = await output(async (root) => {
      const { nextTick } = process;
      const { setImmediate: immediate } = require('node:timers/promises');
      const { Gate } = require(`${root}/integrations/react/gates.js`);
      const gates = [];
      for (const number of [0, 1]) {
        const gate = gates[number] = new Gate({ priority: 'user-visible' });
        gate.then(() => {});
        // React does not come in the turn.
        while (gate.group !== undefined) await immediate();
      }
      const [first, second] = gates;
      const log = (when) => console.log(`${when}: ${second.status}`);
      console.log(`the first: ${first.status}`);
      // Longer than the sections of a turn may take.
      const end = performance.now() + 10;
      while (performance.now() < end);
      log('beside the first');
      second.then(() => log('in its turn'));
      nextTick(log, 'before its turn');
    });
    assert.deepEqual(lines, [
      'the first: fulfilled',
      'beside the first: pending',
      'before its turn: pending',
      'in its turn: fulfilled',
    ]);
  }).timeout(LIMIT);

  it('gets no further section in a turn once one of a higher priority waits', async () => {
    const lines = await output(async (root) => {
      const { setImmediate: immediate } = require('node:timers/promises');
      const { Gate } = require(`${root}/integrations/react/gates.js`);
      const make = (priority) => new Gate({ priority });
      // From here on, React is expected late, and several sections may open in one turn.
      const dropped = make('user-visible');
      dropped.then(() => {});
      while (dropped.group !== undefined) await immediate();
      console.log(dropped.status);
      const [first, second] = [make('background'), make('background')];
      first.then(() => setTimeout(() => {
        console.log(first.status);
        make('user-blocking').then(() => {});
        console.log(second.status);
      }));
      second.then(() => {});
    });
    assert.deepEqual(lines, ['fulfilled', 'fulfilled', 'pending']);
  }).timeout(LIMIT);

  it('is found soon behind others that are over, and then asked seldom in vain', async () => {
    const lines = await output(async (root) => {
      const { Gate } = require(`${root}/integrations/react/gates.js`);
      // Each signal has a group of its own.
      const make = () => {
        const { signal } = new AbortController();
        return new Gate({ priority: 'user-visible', signal });
      };
      let asked = 0;
      const render = (gate) => new Promise((resolve) => {
        const wait = () => gate.then(() => {
          asked++;
          setImmediate(() => (gate.status === 'fulfilled' ? resolve() : wait()));
        });
        wait();
      });
      let turns = 0;
      let isOver = false;
      setImmediate(function count() {
        turns++;
        if (!isOver) setImmediate(count);
      });
      for (let i = 0; i < 14; i++) make().then(() => {});
      await render(make());
      console.log(turns);
      isOver = true;
      asked = 0;
      await Promise.all(Array.from({ length: 12 }, make).map(render));
      console.log(asked);
    });
    const [turns, asked] = lines.map(Number);
    assert.ok(turns < 10, `${turns} turns for 14 renders that are over`);
    assert.ok(asked >= 12 && asked < 36, `${asked} questions for 12 sections`);
  }).timeout(LIMIT);

  it('is completed by a drain(), whatever its priority', async () => {
    const log = [];
    const note = (number) => {
      log.push(number);
      if (number === 2) drained = drain().then(() => log.push('drained'));
      return number;
    };
    let drained;
    const { html, errors } = await render(page(6, note, background));
    await drained;
    assert.deepEqual(errors, []);
    assert.deepEqual(sections(html), numbers(6).map(String));
    assert.deepEqual(log, [...numbers(6), 'drained']);
  });

  it('is completed if it begins during a drain()', async () => {
    const drained = scheduler.postTask(() => turn()).then(drain());
    const { html, errors } = await render(page(6, String, background));
    await drained;
    assert.deepEqual(errors, []);
    assert.deepEqual(sections(html), numbers(6).map(String));
  });

  it('ends when a drain() refuses its priority, and others go on', async () => {
    const rendered = render(page(3, assert.fail));
    const urgent = render(page(3, String, () => ({ priority: 'user-blocking' })));
    // React subscribes to the gates in a microtask.
    await null;
    await drain({ priority: 'user-blocking' });
    const { errors } = await rendered;
    assert.deepEqual(errors.map(({ name }) => name), Array(3).fill('AbortError'));
    assert.deepEqual((await urgent).errors, []);
  });

  it('ends when a drain() times out', async () => {
    const counter = countTurns();
    const rendered = render(page(3, assert.fail, background));
    await turn();
    await drain({ timeout: 5 });
    const { errors } = await rendered;
    counter.end();
    const message = 'drain() timed out after 5 ms';
    assert.deepEqual(errors.map((error) => error.message), [message, message, message]);
    // The next one is rendered again.
    assert.deepEqual((await render(page(3, String, background))).errors, []);
  });

  it('is something that onIdle() waits for', async () => {
    const log = [];
    const rendered = render(page(6, (number) => log.push(number)));
    await turn();
    await onIdle();
    assert.deepEqual(log, numbers(6));
    await rendered;
  });
});
