'use strict';

// requestIdleCallback() and cancelIdleCallback(): when an idle callback runs, its argument, and
// what cancels it. The programs run in processes of their own, where nothing else keeps the loop
// busy. Random programs of the loop test its scheduling state.
// @host each-node

const assert = require('node:assert/strict');
const { inspect } = require('node:util');
const { IdleDeadline, requestIdleCallback, cancelIdleCallback } = require('../..');
const { isNode } = require('../helpers/runtime.js');
const { output } = require('../helpers/tasks.js');
const { createTestScheduler } = require('uv-scheduler/testing');

// Without V8's work in other threads, which counts as ready I/O.
const SILENT = isNode ? ['--single-threaded'] : [];

const idle = (options) => new Promise((resolve) => requestIdleCallback(resolve, options));

describe('requestIdleCallback', () => {
  it('calls the callback once, with an IdleDeadline as its only argument', async () => {
    const calls = [];
    const handle = requestIdleCallback((...args) => calls.push(args));
    assert.ok(Number.isInteger(handle) && handle > 0);
    await idle();
    await idle();
    assert.deepEqual(calls.map(({ length }) => length), [1]);
    assert.ok(calls[0][0] instanceof IdleDeadline);
    assert.equal(inspect(calls[0][0]), 'IdleDeadline { didTimeout: false }');
  });

  it('reports an error of the callback as an uncaught exception @errors-as-text', async () => {
    const lines = await output((root) => {
      const { requestIdleCallback: request } = require(root);
      process.on('uncaughtException', (error) => console.log(`uncaught ${error.message}`));
      request(() => { throw new Error('mine'); });
      request(() => console.log('next'));
    });
    assert.deepEqual(lines, ['uncaught mine', 'next']);
  });

  it('calls back at its timeout if the loop is never idle @idleCallbacks', async () => {
    let isOver = false;
    const again = () => {
      if (!isOver) setImmediate(again);
    };
    again();
    const handle = requestIdleCallback(() => assert.fail('too early'));
    const start = performance.now();
    const deadline = await idle({ timeout: 20 });
    isOver = true;
    cancelIdleCallback(handle);
    assert.ok(performance.now() - start >= 20);
    assert.deepEqual([deadline.didTimeout, deadline.timeRemaining()], [true, 0]);
  });

  describe('timeRemaining()', () => {
    it('starts at 50 ms and falls to 0', async () => {
      const test = createTestScheduler();
      const times = [];
      requestIdleCallback((deadline) => {
        for (const time of [0, 20, 5, 24.5, 0.5, 1]) {
          test.spend(time);
          // Without the last bits of a time since the start of the machine.
          times.push(Number(deadline.timeRemaining().toFixed(6)));
        }
      });
      await test.flush();
      test.stop();
      assert.deepEqual(times, [50, 30, 25, 0.5, 0, 0]);
    });

    it('is above 0 while nothing else can run, and 0 with ready I/O @idleCallbacks', async () => {
      const lines = await output((root) => {
        const { requestIdleCallback: request } = require(root);
        const { port1, port2 } = new MessageChannel();
        port2.on('message', () => port2.close());
        request((deadline) => {
          const quiet = deadline.timeRemaining();
          port1.postMessage('ready at once');
          console.log(quiet > 0, deadline.timeRemaining());
        });
      }, SILENT);
      assert.deepEqual(lines, ['true 0']);
    });

    it('is at most the time until the next timer @idleCallbacks', async () => {
      const time = await new Promise((resolve) => requestIdleCallback((deadline) => {
        setTimeout(() => {}, 10);
        resolve(deadline.timeRemaining());
      }));
      assert.ok(time <= 10, `${time}`);
    });
  });
});

describe('cancelIdleCallback', () => {
  it('does not shorten the idle period of a callback that cancels the last other one', async () => {
    const lines = await output((root) => {
      const { requestIdleCallback: request, cancelIdleCallback: cancel } = require(root);
      let isIdle;
      request((deadline) => (isIdle = deadline.timeRemaining() > 0), { timeout: 60_000 });
      request((deadline) => {
        cancel(other);
        console.log(isIdle, deadline.timeRemaining() > 0);
      });
      const other = request(() => console.log('ran'));
    }, SILENT);
    assert.deepEqual(lines, ['true true']);
  });

  it('does nothing for an unknown, used or cancelled handle', async () => {
    const log = [];
    const handle = requestIdleCallback(() => {
      log.push('ran');
      cancelIdleCallback(handle);
    });
    for (const unknown of [0, -1, 2 ** 31, NaN, undefined, null, 'text', {}]) {
      assert.equal(cancelIdleCallback(unknown), undefined);
    }
    await idle();
    cancelIdleCallback(handle);
    cancelIdleCallback(handle);
    assert.deepEqual(log, ['ran']);
  });
});
