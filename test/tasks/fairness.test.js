'use strict';

// Fairness keys: tasks of one priority share the thread by the time that they use.

const assert = require('node:assert/strict');

const { SharedTask, TaskController, TaskSignal, pieces, scheduler } = require('../..');
const { monitorTasks } = require('uv-scheduler/watch');
const { busy, output } = require('../helpers/tasks.js');
const { createTestScheduler } = require('uv-scheduler/testing');

// Posts a task for each name, each of which takes a ms by `work`. Returns the names, which it fills
// in the order in which they start. The first letter is the key.
function orderOf(names, work) {
  const order = [];
  for (const name of names) {
    scheduler.postTask(() => {
      order.push(name);
      work(1);
    }, { fairnessKey: name[0] });
  }
  return order;
}

const names = (key, count) => Array.from({ length: count }, (_, i) => `${key}${i}`);

describe('tasks with a fairness key', () => {
  // Windows has no signal that stops a process.
  if (process.platform !== 'win32') {
    it('are not charged for the time in which the process was stopped @thread-time', async () => {
      const [turns] = await output(async (root) => {
        const { spawn } = require('node:child_process');
        const { scheduler } = require(root);
        const { pid } = process;
        const block = (milliseconds) => {
          for (const end = performance.now() + milliseconds; performance.now() < end;);
        };
        let turns = 0;
        let isOver = false;
        const other = () => void scheduler.postTask(() => {
          block(1);
          turns++;
          if (!isOver) other();
        }, { fairnessKey: 'b' });
        // More than once, as both may have been stopped before.
        const goOn = `while sleep 0.4 && kill -CONT ${pid}; do :; done`;
        const helper = spawn('sh', ['-c', goOn], { stdio: 'ignore' });
        helper.unref();
        await new Promise((resolve) => helper.once('spawn', resolve));
        other();
        const options = { fairnessKey: 'a' };
        await scheduler.postTask(() => process.kill(pid, 'SIGSTOP'), options);
        await scheduler.postTask(() => (isOver = true), options);
        console.log(turns);
      });
      assert.ok(Number(turns) < 200, `${turns} ms pass before the next turn`);
    });
  }

  it('follow the priority of their signal with their continuations', async () => {
    const controller = new TaskController({ priority: 'background' });
    const order = [];
    let other;
    await scheduler.postTask(async () => {
      const goesOn = scheduler.yield().then(() => order.push('followed'));
      other = scheduler.postTask(() => order.push('other'));
      controller.setPriority('user-blocking');
      await goesOn;
    }, { signal: controller.signal, fairnessKey: 'a' });
    await other;
    assert.deepEqual(order, ['followed', 'other']);
  });

  it('may be moved and aborted in the middle, whatever else their signal has', async () => {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const order = [];
    const chain = (name, options) => scheduler.postTask(async () => {
      order.push(name);
      // Where its entries wait, the chain has one in each of two priorities.
      await Promise.all([scheduler.yield(), scheduler.yield({ priority: 'user-visible' })]);
      order.push(`${name} again`);
    }, options);
    const test = createTestScheduler();
    for (const fairnessKey of ['a', 'b']) chain(fairnessKey, { signal, fairnessKey });
    const delayed = chain('delayed', { signal, fairnessKey: 'a', delay: 60_000 });
    const aborting = new TaskController();
    const aborted = Array.from({ length: 100 }, (_, i) => chain('never', {
      signal: TaskSignal.any([signal, aborting.signal], { priority: signal }),
      fairnessKey: `${i % 3}`,
    }));
    chain('other', { fairnessKey: 'c', priority: 'user-visible' });
    controller.setPriority('user-blocking');
    aborting.abort();
    const outcomes = Promise.allSettled([...aborted, delayed]);
    await test.flush();
    controller.abort();
    test.stop();
    assert.ok((await outcomes).every(({ reason }) => reason?.name === 'AbortError'));
    assert.deepEqual(order, ['a', 'b', 'other', 'a again', 'b again', 'other again']);
  });

  it('have the weight that was given last, also if they give none', async () => {
    const monitor = monitorTasks();
    const weights = [];
    for (const fairnessWeight of [undefined, 3, undefined, 0.5, undefined]) {
      await scheduler.postTask(() => {}, { fairnessKey: 'weighed', fairnessWeight });
      weights.push(monitor.keys.find(({ key }) => key === 'weighed').weight);
    }
    assert.deepEqual(weights, [1, 3, 3, 0.5, 0.5]);
  });

  it('may have any characters in their keys', async () => {
    const keys = ['', '__proto__', '\0', '\ud800', 'x'.repeat(120), 'constructor'];
    const ran = await Promise.all(keys.map((fairnessKey) =>
      scheduler.postTask(() => fairnessKey, { fairnessKey })));
    assert.deepEqual(ran, keys);
  });

  it('may have long keys, which become their first characters and a hash', async () => {
    const monitor = monitorTasks();
    const run = (fairnessKey) => scheduler.postTask(() => busy(1), { fairnessKey });
    const names = (start) =>
      monitor.keys.map(({ key }) => key).filter((key) => key?.startsWith(start));
    const long = 'l'.repeat(121);
    // The surrogates of a pair at each place where the key is cut.
    const pairs = ['🙂'.repeat(100), `p${'🙂'.repeat(100)}`];
    for (const key of [long, long, `${long}l`, `${long}\ud800`, `${long}\ud801`, ...pairs, 1.5]) {
      await run(key);
    }
    const found = names('l'.repeat(97));
    assert.deepEqual(found.map(({ length }) => length), [120, 120, 120, 120]);
    assert.equal(new Set(found).size, 4);
    for (const [key] of [names('🙂'), names('p🙂')]) {
      assert.ok(key.length <= 120 && key.isWellFormed?.() !== false, key);
    }
    assert.deepEqual(names('1.5'), ['1.5']);
  });
});

describe('tasks with a fairness key that never settle', () => {
  it('are forgotten when they are collected', async () => {
    const lines = await output(async (root) => {
      const { setImmediate: turn } = require('node:timers/promises');
      const { scheduler } = require(root);
      const { monitorTasks } = require(`${root}/dist/watch.js`);
      const monitor = monitorTasks();
      const requests = () => monitor.keys.find(({ key }) => key === 'hung')?.requests ?? 0;
      const never = () => scheduler.postTask(() => new Promise(() => {}), { fairnessKey: 'hung' });
      for (let i = 0; i < 1000; i++) never();
      await scheduler.wait(1);
      console.log(requests());
      for (let i = 0; i < 200 && requests() > 10; i++) {
        globalThis.gc();
        await turn();
      }
      console.log(requests() <= 10);
    }, ['--expose-gc']);
    assert.deepEqual(lines, ['1000', 'true']);
  }).timeout(30_000);
});

describe('the run of a shared task begun with a fairness key', () => {
  it('may have been queued for a join() without one that has ended', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    const task = new SharedTask(() => 'value');
    const first = new AbortController();
    const ended = assert.rejects(task.join({ signal: first.signal }), { name: 'AbortError' });
    first.abort();
    const joined = scheduler.postTask(() => task.join(), { fairnessKey: 'joins later' });
    assert.equal(await joined, 'value');
    await ended;
    monitor.disable();
  });
});

describe('on the clock of a test, tasks with a fairness key', () => {
  let test;
  const spend = (ms) => test.spend(ms);
  const monitor = monitorTasks();
  const keyOf = (name) => monitor.keys.find(({ key }) => key === name);

  beforeEach(() => (test = createTestScheduler()));
  afterEach(() => test.stop());

  it('take turns by key, whoever has posted more', async () => {
    const order = orderOf([...names('a', 50), 'b0', 'b1', 'c0'], spend);
    await test.flush();
    assert.deepEqual(order.slice(0, 7), ['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3']);
    assert.deepEqual(order.filter((name) => name[0] === 'a'), names('a', 50));
  });

  for (const [by, step] of Object.entries({
    'yield()': () => scheduler.yield(),
    'yield() with a priority': () => scheduler.yield({ priority: 'user-visible' }),
    'wait()': () => scheduler.wait(0),
    'pieces()': async () => {
      for await (const item of pieces([1], { priority: 'user-visible' })) assert.equal(item, 1);
    },
  })) {
    it(`go on with their key in ${by}`, async () => {
      const turns = { many: 0, one: 0 };
      let isOver = false;
      const chain = async (fairnessKey, goOn) => {
        while (!isOver) {
          turns[fairnessKey]++;
          test.spend(1);
          await goOn();
          isOver ||= turns.one === 20;
        }
      };
      for (let i = 0; i < 10; i++) {
        scheduler.postTask(() => chain('many', step), { fairnessKey: 'many' });
      }
      scheduler.postTask(() => chain('one', () => scheduler.yield()), { fairnessKey: 'one' });
      await test.flush();
      assert.ok(turns.many <= 20 + 10, `${turns.many} turns of the others beside twenty`);
    });
  }

  it('are known by their key however many others come', async () => {
    let end;
    scheduler.postTask(() => {
      test.spend(20);
      return new Promise((resolve) => (end = resolve));
    }, { fairnessKey: 'stays' });
    for (let i = 0; i < 200; i++) {
      scheduler.postTask(() => {}, { fairnessKey: `passes ${i}` });
    }
    await test.flush();
    const found = keyOf('stays')?.requests;
    end();
    await test.flush();
    assert.equal(found, 1);
  });

  it('share one key where there are more than ten thousand', async () => {
    for (let i = 0; i < 12_000; i++) scheduler.postTask(() => {}, { fairnessKey: `tenant ${i}` });
    await test.flush();
    // The keys whose tasks have run are forgotten, so new keys are told apart again: the flood
    // delays only itself.
    await test.advance(200);
    const order = orderOf([...names('c', 50), 'd0'], spend);
    await test.flush();
    assert.deepEqual(order.slice(0, 3), ['c0', 'd0', 'c1']);
  }).timeout(30_000);

  it('are charged for the run of a shared task that they begin, with no more share', async () => {
    monitor.enable();
    const chain = async () => {
      while (test.now < 600) {
        test.spend(1);
        await scheduler.yield();
      }
    };
    const task = new SharedTask(chain, { priority: 'user-visible' });
    scheduler.postTask(chain, { fairnessKey: 'a' });
    scheduler.postTask(() => Promise.all([task.join(), chain()]), { fairnessKey: 'b' });
    await test.flush();
    const times = ['a', 'b'].map((name) => keyOf(name).time);
    monitor.disable();
    assert.deepEqual(times, [300, 300]);
  });
});
