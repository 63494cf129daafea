'use strict';

// Fairness keys: tasks of one priority share the thread by the time that they use.

const assert = require('node:assert/strict');

const {
  SharedTask, TaskController, TaskSignal, monitorTasks, pieces, scheduler,
} = require('../..');
const { busy, output } = require('../helpers/tasks.js');

// Posts a task for each name, and resolves to the names in the order in which they start. The
// first letter is the key.
async function orderOf(names, options = {}) {
  const order = [];
  await Promise.all(names.map((name) => {
    return scheduler.postTask(() => {
      order.push(name);
      busy(1);
    }, { fairnessKey: name[0], ...options });
  }));
  return order;
}

describe('tasks with a fairness key', () => {
  it('take turns by key, whoever has posted more', async () => {
    const flood = Array.from({ length: 50 }, (_, i) => `a${i}`);
    const order = await orderOf([...flood, 'b0', 'b1', 'c0']);
    for (const name of ['b0', 'b1', 'c0']) {
      assert.ok(order.indexOf(name) < 25, `${name} is number ${order.indexOf(name)}`);
    }
    assert.deepEqual(order.filter((name) => name[0] === 'a'), flood);
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
          busy(1);
          await step();
        }
      }, { fairnessKey: 'many' }));
      let own = 0;
      await scheduler.postTask(async () => {
        while (own < 20) {
          own++;
          busy(1);
          await scheduler.yield();
        }
      }, { fairnessKey: 'one' });
      isOver = true;
      assert.ok(turns < 100, `${turns} turns of the others beside twenty`);
      await Promise.all(others);
    }
  }).timeout(30_000);

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
    const ran = await Promise.all(keys.map((fairnessKey) => {
      return scheduler.postTask(() => fairnessKey, { fairnessKey });
    }));
    assert.deepEqual(ran, keys);
  });

  it('may have long keys, which become their first characters and a hash', async () => {
    const monitor = monitorTasks();
    const run = (fairnessKey) => scheduler.postTask(() => busy(1), { fairnessKey });
    const names = (start) => {
      return monitor.keys.map(({ key }) => key).filter((key) => key?.startsWith(start));
    };
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

  it('are known by their key however many others come', async () => {
    const monitor = monitorTasks();
    let end;
    const stays = scheduler.postTask(() => {
      busy(20);
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

  it('is charged to that key, which gets no further share by it', async () => {
    const turns = { a: 0, b: 0, shared: 0 };
    const monitor = monitorTasks();
    monitor.enable();
    const timeOf = (name) => monitor.keys.find(({ key }) => key === name).time;
    const times = () => ['a', 'b'].map(timeOf);
    // With a share of its own, the run would leave a third to each. The time for which a machine
    // stands still is charged to the key that runs, and the others catch up later.
    const isShared = ([a, b]) => a >= 0.4 * (a + b);
    let seen = [0, 1];
    const isOver = () => {
      const count = turns.a + turns.b + turns.shared;
      if (!isShared(seen) && count >= 600 && count % 100 === 0) seen = times();
      return isShared(seen) || count >= 6_000;
    };
    const chain = async (name) => {
      while (!isOver()) {
        turns[name]++;
        busy(0.3);
        await scheduler.yield();
      }
    };
    const task = new SharedTask(() => chain('shared'), { priority: 'user-visible' });
    await Promise.all([
      scheduler.postTask(() => chain('a'), { fairnessKey: 'a' }),
      scheduler.postTask(() => Promise.all([task.join(), chain('b')]), { fairnessKey: 'b' }),
    ]);
    const [, b] = times();
    monitor.disable();
    assert.ok(isShared(seen), `${seen} ms`);
    assert.ok(b >= 0.3 * (turns.b + turns.shared), `${b} ms`);
  });

  it('does not wait for the debt of its key where another key waits for it', async () => {
    let turns = 0;
    let isOver = false;
    const other = () => void scheduler.postTask(() => {
      turns++;
      busy(1);
      if (!isOver) other();
    }, { fairnessKey: 'busy' });
    const run = async () => {
      for (let i = 0; i < 5; i++) await scheduler.yield();
    };
    const task = new SharedTask(run, { priority: 'user-visible' });
    other();
    await scheduler.postTask(() => busy(200), { fairnessKey: 'in debt' });
    await scheduler.postTask(() => void task.join(), { fairnessKey: 'in debt' });
    const before = turns;
    await scheduler.postTask(() => task.join(), { fairnessKey: 'in credit' });
    isOver = true;
    assert.ok(turns - before < 100, `it ran behind ${turns - before} turns`);
  });
});
