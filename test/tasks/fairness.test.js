'use strict';

// Fairness keys: tasks of one priority share the thread by the time that they use.

const assert = require('node:assert/strict');
const { performance } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');

const {
  SharedTask, TaskController, TaskSignal, monitorTasks, pieces, scheduler,
} = require('../..');
const { output } = require('../helpers/tasks.js');

// Returns for how long the thread was blocked, which is more where the machine stands still.
function block(milliseconds) {
  const begin = performance.now();
  while (performance.now() - begin < milliseconds);
  return performance.now() - begin;
}

// Posts a task for each name, and resolves to the names in the order in which they start. The
// first letter is the key.
async function orderOf(names, options = {}) {
  const order = [];
  await Promise.all(names.map((name) => {
    return scheduler.postTask(() => {
      order.push(name);
      block(1);
    }, { fairnessKey: name[0], ...options });
  }));
  return order;
}

// No level ends before a request has used this time in ms.
const SHORTEST_LEVEL = 1;

describe('tasks with a fairness key', () => {
  it('take turns by key, whoever has posted more', async () => {
    const flood = Array.from({ length: 50 }, (_, i) => `a${i}`);
    const order = await orderOf([...flood, 'b0', 'b1', 'c0']);
    for (const name of ['b0', 'b1', 'c0']) {
      assert.ok(order.indexOf(name) < 25, `${name} is number ${order.indexOf(name)}`);
    }
    assert.deepEqual(order.filter((name) => name[0] === 'a'), flood);
  });

  for (const [name, fairnessKey] of [['a key', 'tenant'], ['work without a key', undefined]]) {
    it(`leave ${name} its share beside new keys without end`, async () => {
      // Five keys that run once each are queued at any time.
      const turns = { tenant: 0, visitors: 0 };
      const isOver = () => turns.visitors >= 400;
      const visitor = (options) => scheduler.postTask(() => {
        turns.visitors++;
        block(0.2);
        if (!isOver()) void visitor({ fairnessKey: `visitor-${turns.visitors}` });
      }, options);
      const tenant = scheduler.postTask(async () => {
        while (!isOver()) {
          turns.tenant++;
          block(0.2);
          await scheduler.yield();
        }
      }, { fairnessKey });
      for (let i = 0; i < 5; i++) void visitor({ fairnessKey: `first-${i}` });
      await tenant;
      // A sixth of all turns is 80. A callback in which the machine stood still for a few
      // milliseconds counts as many of them.
      assert.ok(turns.tenant >= 10 && turns.tenant <= 250, JSON.stringify(turns));
    });
  }

  it('go behind those that came while they were idle', async () => {
    const order = [];
    const post = (name) => scheduler.postTask(() => order.push(name), { fairnessKey: 'a' });
    const others = [];
    await scheduler.postTask(async () => {
      await sleep(1);
      others.push(post('page'), post('other page'));
      await scheduler.yield();
      order.push('stream');
    }, { fairnessKey: 'a' });
    await Promise.all(others);
    assert.deepEqual(order, ['page', 'other page', 'stream']);
  });

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
        const helper = spawn('sh', ['-c', `sleep 0.4; kill -CONT ${pid}`], { stdio: 'ignore' });
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

  it('share the thread by weight with each other and with those without a key', async () => {
    const time = { heavy: 0, light: 0, none: 0 };
    let isOver = false;
    const chain = (name, length, options) => scheduler.postTask(async () => {
      while (!isOver) {
        time[name] += block(length);
        await scheduler.yield();
      }
    }, options);
    const chains = [
      chain('heavy', 0.3, { fairnessKey: 'heavy', fairnessWeight: 3 }),
      chain('light', 1, { fairnessKey: 'light' }),
      chain('none', 0.5),
    ];
    const until = async (condition) => {
      while (!condition()) await scheduler.wait(10, { priority: 'user-blocking' });
    };
    // A long callback of a test before this one is paid for first.
    await until(() => Object.values(time).every((used) => used > 0));
    for (const name of Object.keys(time)) time[name] = 0;
    await until(() => time.heavy > 600);
    isOver = true;
    await Promise.all(chains);
    for (const name of ['light', 'none']) {
      const ratio = time.heavy / time[name];
      assert.ok(ratio > 1.5 && ratio < 6, `${ratio} instead of 3: ${JSON.stringify(time)}`);
    }
  }).timeout(30_000);

  it('owe each other nothing for a long callback once nothing was queued for as long', async () => {
    let end;
    const request = scheduler.postTask(() => new Promise((resolve) => {
      end = resolve;
    }), { fairnessKey: 'open' });
    await scheduler.postTask(() => block(100));
    await sleep(200);
    let used = 0;
    let isOver = false;
    const keyed = scheduler.postTask(async () => {
      while (!isOver) {
        used += block(1);
        await scheduler.yield();
      }
    }, { fairnessKey: 'other' });
    const before = await scheduler.postTask(() => used);
    isOver = true;
    end();
    await Promise.all([keyed, request]);
    assert.ok(before < 50, `the key had ${before} ms first`);
  });

  it('go on with their key in yield(), wait() and pieces()', async () => {
    const steps = [
      () => scheduler.yield(),
      () => scheduler.yield({ priority: 'user-visible' }),
      () => scheduler.wait(0),
      async () => {
        for await (const item of pieces([1], { priority: 'user-visible' })) assert.equal(item, 1);
      },
    ];
    for (const step of steps) {
      let isOver = false;
      let turns = 0;
      const others = Array.from({ length: 10 }, () => scheduler.postTask(async () => {
        while (!isOver) {
          turns++;
          block(1);
          await step();
        }
      }, { fairnessKey: 'many' }));
      let own = 0;
      await scheduler.postTask(async () => {
        while (own < 20) {
          own++;
          block(1);
          await scheduler.yield();
        }
      }, { fairnessKey: 'one' });
      isOver = true;
      assert.ok(turns < 100, `${turns} turns of the others beside twenty`);
      await Promise.all(others);
    }
  }).timeout(30_000);

  it('do not come before a higher priority, nor go behind a lower one', async () => {
    const order = [];
    const post = (priority, options) => scheduler.postTask(() => {
      order.push(priority);
    }, { priority, ...options });
    await Promise.all([
      post('background'),
      post('background', { fairnessKey: 'a', fairnessWeight: 1e6 }),
      post('user-visible', { fairnessKey: 'b', fairnessWeight: 1e-6 }),
      post('user-visible'),
      post('user-blocking'),
      post('user-blocking', { fairnessKey: 'c' }),
    ]);
    assert.deepEqual(order, ['user-blocking', 'user-blocking', 'user-visible', 'user-visible',
      'background', 'background']);
  });

  it('follow the priority of their signal, and are aborted by it', async () => {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const order = [];
    const followed = scheduler.postTask(() => order.push('followed'), {
      signal, fairnessKey: 'a',
    });
    const other = scheduler.postTask(() => order.push('other'), { fairnessKey: 'b' });
    controller.setPriority('user-blocking');
    await Promise.all([followed, other]);
    assert.deepEqual(order, ['followed', 'other']);
    const never = scheduler.postTask(assert.fail, { signal, fairnessKey: 'a', delay: 1 });
    const queued = scheduler.postTask(assert.fail, { signal, fairnessKey: 'a' });
    controller.abort();
    await assert.rejects(never, { name: 'AbortError' });
    await assert.rejects(queued, { name: 'AbortError' });
  });

  it('follow the priority of their signal with their continuations', async () => {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const order = [];
    let other;
    await scheduler.postTask(async () => {
      const goesOn = scheduler.yield().then(() => order.push('followed'));
      other = scheduler.postTask(() => order.push('other'));
      controller.setPriority('user-blocking');
      await goesOn;
    }, { signal, fairnessKey: 'a' });
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
    const moved = ['a', 'b'].map((fairnessKey) => chain(fairnessKey, { signal, fairnessKey }));
    const delayed = chain('delayed', { signal, fairnessKey: 'a', delay: 60_000 });
    const aborting = new TaskController({ priority: 'background' });
    const aborted = Array.from({ length: 100 }, (_, i) => {
      const both = TaskSignal.any([signal, aborting.signal], { priority: signal });
      return chain('never', { signal: both, fairnessKey: `${i % 3}` });
    });
    const other = chain('other', { fairnessKey: 'c', priority: 'user-visible' });
    const late = chain('late', { fairnessKey: 'c', priority: 'background' });
    controller.setPriority('user-blocking');
    aborting.abort();
    for (const task of aborted) await assert.rejects(task, { name: 'AbortError' });
    await Promise.all([...moved, other]);
    const begun = order.filter((name) => !name.endsWith('again') && name !== 'late');
    // Which of the keys has used less before this test is not known.
    assert.deepEqual([...begun.slice(0, 2).sort(), ...begun.slice(2)], ['a', 'b', 'other']);
    controller.setPriority('background');
    await late;
    controller.abort();
    await assert.rejects(delayed, { name: 'AbortError' });
    assert.deepEqual(order.filter((name) => name === 'late again'), ['late again']);
  });

  it('share the thread also by the least and the most of weights', async () => {
    const order = [];
    const chain = (fairnessKey, turns, fairnessWeight) => scheduler.postTask(async () => {
      for (let i = 0; i < turns; i++) {
        order.push(fairnessKey);
        block(0.1);
        await scheduler.yield();
      }
    }, { fairnessKey, fairnessWeight });
    await Promise.all([chain('light', 3, 1e-6), chain('other', 30), chain('heavy', 30, 1e6)]);
    // Each has a first turn. Then the heavier one goes before the lighter one to its end.
    const again = (name) => order.indexOf(name, order.indexOf(name) + 1);
    assert.ok(order.lastIndexOf('heavy') < again('other'), `${order}`);
    assert.ok(order.lastIndexOf('other') < again('light'), `${order}`);
    assert.equal(order.length, 63);
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

  it('are overdue once they have waited for maxWait', async () => {
    let isOver = false;
    const chain = scheduler.postTask(async () => {
      while (!isOver) {
        block(1);
        await scheduler.yield();
      }
    }, { fairnessKey: 'a', fairnessWeight: 1e6 });
    const late = { fairnessKey: 'b', fairnessWeight: 1e-6, priority: 'background', maxWait: 20 };
    // The first one leaves the key behind by 10^6 times what it takes.
    await scheduler.postTask(() => block(2), late);
    await scheduler.postTask(() => block(2), late);
    isOver = true;
    await chain;
  });

  it('may have any characters in their keys', async () => {
    const keys = ['', '__proto__', '\0', '\ud800', 'x'.repeat(120), 'constructor'];
    const ran = await Promise.all(keys.map((fairnessKey) => {
      return scheduler.postTask(() => fairnessKey, { fairnessKey });
    }));
    assert.deepEqual(ran, keys);
  });

  it('are known by their key however many others come', async () => {
    const monitor = monitorTasks();
    let end;
    const stays = scheduler.postTask(() => {
      block(20);
      return new Promise((resolve) => (end = resolve));
    }, { fairnessKey: 'stays' });
    await Promise.all(Array.from({ length: 200 }, (_, i) => {
      return scheduler.postTask(() => {}, { fairnessKey: `passes ${i}` });
    }));
    const { requests } = monitor.keys.find(({ key }) => key === 'stays') ?? {};
    end();
    await stays;
    assert.equal(requests, 1);
  });

  it('share one key where there are more than ten thousand', async () => {
    const tasks = Array.from({ length: 12_000 }, (_, i) => {
      return scheduler.postTask(() => i, { fairnessKey: `tenant ${i}` });
    });
    assert.equal((await Promise.all(tasks)).length, 12_000);
    // The keys whose tasks have run are forgotten, so new keys are told apart again: the flood
    // delays only itself.
    await scheduler.wait(200);
    const flood = Array.from({ length: 50 }, (_, i) => `c${i}`);
    const order = await orderOf([...flood, 'd0']);
    assert.ok(order.indexOf('d0') < 25, `${order}`);
  }).timeout(30_000);
});

describe('tasks with a fairness key that never settle', () => {
  it('are forgotten when they are collected', async () => {
    const lines = await output(async (root) => {
      const { setImmediate: turn } = require('node:timers/promises');
      const { monitorTasks, scheduler } = require(root);
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

describe('a chain with a fairness key that works a little at a time', () => {
  it('stays ahead of one that works all the time, however much it has used in all', async () => {
    let isOver = false;
    const busy = scheduler.postTask(async () => {
      while (!isOver) {
        block(2);
        await scheduler.yield();
      }
    }, { fairnessKey: 'site' });
    let used = 0;
    // Beyond both of the levels that there are at first. The used time fades while the task waits.
    await scheduler.postTask(async () => {
      while (used < 300) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await scheduler.yield();
        used += block(4);
      }
    }, { fairnessKey: 'site' });
    isOver = true;
    await busy;
  }).timeout(30_000);
});

describe('tasks of one fairness key', () => {
  it('start in the order in which they were posted', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `a${i}`);
    assert.deepEqual(await orderOf(names), names);
  });

  it('end one after the other if they yield', async () => {
    let ends;
    const run = () => Promise.all([0, 1, 2].map((number) => scheduler.postTask(async () => {
      for (let i = 0; i < 5; i++) {
        await scheduler.yield();
        await null;
      }
      ends.push(number);
    }, { fairnessKey: 'a' })));
    // If the machine stands still, a task outgrows its level, and ends behind the others.
    let time;
    do {
      ends = [];
      const begin = performance.now();
      await run();
      time = performance.now() - begin;
    } while (time > SHORTEST_LEVEL);
    assert.deepEqual(ends, [0, 1, 2]);
  }).timeout(30_000);

  it('come before one that has taken much time', async () => {
    let isOver = false;
    const ends = [];
    const long = scheduler.postTask(async () => {
      // Beyond all that is usual at first.
      for (let time = 0; time < 250; time += block(5)) await scheduler.yield();
      while (!isOver) {
        block(1);
        await scheduler.yield();
      }
      ends.push('long');
    }, { fairnessKey: 'a' });
    for (let i = 0; i < 5; i++) {
      await scheduler.postTask(() => ends.push('short'), { fairnessKey: 'a' });
    }
    isOver = true;
    await long;
    assert.deepEqual(ends, ['short', 'short', 'short', 'short', 'short', 'long']);
  }).timeout(30_000);
});

describe('shouldYield() with fairness keys', () => {
  // How long code of a task with the key 'a' goes on until it is told to yield, while only a task
  // with the key 'b' or 'a' waits: medians in ms. In a process of its own, which has not learned a
  // level that ends before the slice. User-blocking code does not yield to ready I/O, which any
  // process has at times.
  let medians;

  before(async function () {
    this.timeout(30_000);
    const [line] = await output(async (root) => {
      const { scheduler, shouldYield } = require(root);
      const priority = 'user-blocking';

      // Blocks until then. Begins with a time slice that nothing has used.
      async function timeBeside(fairnessKey) {
        await scheduler.wait(1);
        let queued;
        const time = await scheduler.postTask(() => {
          queued = scheduler.postTask(() => {}, { fairnessKey, priority });
          const begin = performance.now();
          while (!shouldYield() && performance.now() - begin < 1_000);
          return performance.now() - begin;
        }, { fairnessKey: 'a', priority });
        await queued;
        return time;
      }

      async function medianBeside(key) {
        const times = [];
        for (let i = 0; i < 21; i++) times.push(await timeBeside(key));
        return times.sort((a, b) => a - b)[10];
      }

      console.log(JSON.stringify({ b: await medianBeside('b'), a: await medianBeside('a') }));
    });
    medians = JSON.parse(line);
  });

  it('is true once another key is behind by a millisecond, before the slice is over', () => {
    assert.ok(medians.b >= 0.5 && medians.b < 4, `${medians.b}`);
  });

  it('is not true for a later task of the same key and level until the slice is over', () => {
    assert.ok(medians.a >= 4, `${medians.a}`);
  });
});

describe('the run of a shared task begun with a fairness key', () => {
  it('is charged to that key, which gets no further share by it', async () => {
    const turns = { a: 0, b: 0, shared: 0 };
    const monitor = monitorTasks();
    monitor.enable();
    const isOver = () => turns.a + turns.b + turns.shared >= 600;
    const chain = async (name) => {
      while (!isOver()) {
        turns[name]++;
        block(0.3);
        await scheduler.yield();
      }
    };
    const task = new SharedTask(() => chain('shared'), { priority: 'user-visible' });
    await Promise.all([
      scheduler.postTask(() => chain('a'), { fairnessKey: 'a' }),
      scheduler.postTask(() => Promise.all([task.join(), chain('b')]), { fairnessKey: 'b' }),
    ]);
    const timeOf = (name) => monitor.keys.find(({ key }) => key === name).time;
    monitor.disable();
    // With a share of its own, the run would leave a third to each.
    assert.ok(turns.a >= 240, JSON.stringify(turns));
    assert.ok(timeOf('b') >= 0.3 * (turns.b + turns.shared), `${timeOf('b')} ms`);
  });

  it('does not wait for the debt of its key where another key waits for it', async () => {
    let turns = 0;
    let isOver = false;
    const other = () => void scheduler.postTask(() => {
      turns++;
      block(1);
      if (!isOver) other();
    }, { fairnessKey: 'busy' });
    const run = async () => {
      for (let i = 0; i < 5; i++) await scheduler.yield();
    };
    const task = new SharedTask(run, { priority: 'user-visible' });
    other();
    await scheduler.postTask(() => block(200), { fairnessKey: 'in debt' });
    await scheduler.postTask(() => void task.join(), { fairnessKey: 'in debt' });
    const before = turns;
    await scheduler.postTask(() => task.join(), { fairnessKey: 'in credit' });
    isOver = true;
    assert.ok(turns - before < 100, `it ran behind ${turns - before} turns`);
  });
});
