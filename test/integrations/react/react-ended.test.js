'use strict';

// <Scheduled> in renders that end before their pages are complete: they leave nothing behind, and
// no other page waits for their sections. Renders that go on are completed, however late React
// comes, and also while drain() waits.
// @lane slow

const assert = require('node:assert/strict');
const path = require('node:path');
const { setImmediate: turn } = require('node:timers/promises');
const { renderToReadableStream: renderToEdgeStream } = require('react-dom/server.edge');
const { drain, onIdle, scheduler } = require('../../..');
const { FIXTURES, LIMIT, endNodes, nodes, testTogether } = require('../../helpers/loop.js');
const { countTurns, page, render, sections } = require('../../helpers/react.js');
const { isShort } = require('../../helpers/short.js');
const { output } = require('../../helpers/tasks.js');
const { endsOf } = require('../../fixtures/react/ended.js');

const program = (name) => path.join(FIXTURES, 'react', name);
const numbers = (count) => Array.from({ length: count }, (_, number) => number);
const background = () => ({ priority: 'background' });

// The variants of the program, beside React's two renderers and modes.
const PROGRAMS = [
  ['HTML', 'production'],
  ['server components', 'development'],
  ['server components', 'production', 'copy'],
  ['server components', 'production', 'early'],
];

for (const [kind, mode, variant = 'none'] of PROGRAMS) {
  if (isShort && variant !== 'none') continue;
  describe(`a render that ends early leaves nothing behind (${kind}, ${mode}, ${variant})`, () => {
    const conditions = kind === 'HTML' ? [] : ['--conditions=react-server'];
    const args = ['--expose-gc', ...conditions, program('ended.js'), variant, kind];
    const expected = endsOf(kind).map(({ name }) => [name, 'no wait, 0 kept']);
    const env = { ...process.env, NODE_ENV: mode };
    const on = variant === 'none' ? nodes : endNodes;
    testTogether(args, Object.fromEntries(expected), { env, on });
  });
}

describe('a render that ends early while other work keeps its sections from a turn', () => {
  testTogether(['--expose-gc', program('ended.js'), 'held', 'HTML'], { held: [0, 10] });
});

describe('a render that goes on', () => {
  const { setTimeout: original } = globalThis;

  afterEach(() => (globalThis.setTimeout = original));

  it('is completed, however late React comes to its sections', async () => {
    // React's build for edge runtimes renders in timers.
    globalThis.setTimeout = (callback) => original(callback, 20);
    const log = [];
    const stream = await renderToEdgeStream(page(12, (number) => log.push(number)));
    await stream.allReady;
    assert.equal(log.length, 12);
  });

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
      (function attempt() {
        const [first, second, third] = Array.from({ length: 3 }, () => make('background'));
        first.then(() => setTimeout(() => {
          // All are asked in one opening once the last sections were short.
          const isAsked = third.question !== undefined;
          const isShort = first.status === 'fulfilled' && second.status === 'fulfilled';
          if (!isAsked || !isShort) return void attempt();
          make('user-blocking').then(() => {});
          console.log(third.status);
        }));
        second.then(() => {});
        third.then(() => {});
      })();
    });
    assert.deepEqual(lines, ['fulfilled', 'pending']);
  }).timeout(LIMIT);

  // Sections that take longer than those of one turn may.
  it('is found soon behind others that are over, and then asked seldom in vain', async () => {
    const lines = await output(async (root) => {
      const { countTurns: count } = require(`${root}/test/helpers/react.js`);
      const { busy } = require(`${root}/test/helpers/busy.js`);
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
          setImmediate(() => {
            if (gate.status !== 'fulfilled') return void wait();
            // So long that no other section opens in this turn.
            busy(6);
            resolve();
          });
        });
        wait();
      });
      const counter = count();
      for (let i = 0; i < 14; i++) make().then(() => {});
      await render(make());
      console.log(counter.turn);
      counter.end();
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
    };
    let drained;
    assert.deepEqual((await render(page(6, note, background))).errors, []);
    await drained;
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
    await drain({ keep: 'user-blocking' });
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
