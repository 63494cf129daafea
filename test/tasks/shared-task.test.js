'use strict';

// SharedTask: how its callback is called, the signals of its joins, how urgent its run is at any
// moment, and the errors of runs that would wait for themselves. shared-task-programs.test.js has
// what settles the joins, shared-task-drain.test.js the ends of runs that no join waits for, and
// integrations/testing/test-scheduler.test.js a bound on the wait of a join.

const assert = require('node:assert/strict');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { SharedTask, TaskSignal, onIdle, scheduler } = require('../..');
const {
  CONTINUATION, PRIORITIES, TASK, background, effectivePriority, leaving, settled, until,
} = require('../helpers/tasks.js');

const highest = (...priorities) => PRIORITIES.find((each) => priorities.includes(each));

// A shared task with a run that has started and waits until `goOn()` is called. Then it yields, and
// calls `mark`.
async function paused(mark = () => {}) {
  let goOn;
  const task = new SharedTask(async () => {
    await new Promise((resolve) => (goOn = resolve));
    await scheduler.yield();
    mark();
  });
  const { signal, leave } = leaving();
  const joined = settled(task.join({ priority: 'background', signal }));
  await until(() => goOn !== undefined);
  leave();
  await joined;
  return { task, goOn };
}

describe('a SharedTask', () => {
  beforeEach(() => onIdle());

  it('calls its callback in a task, without receiver and arguments', async () => {
    const calls = [];
    const task = new SharedTask(function callback(...args) {
      calls.push([this, ...args]);
      return 'result';
    });
    const promise = task.join();
    assert.deepEqual(calls, []);
    assert.equal(await promise, 'result');
    assert.deepEqual(calls, [[undefined]]);
  });

  it('counts a run as over in the microtasks of a callback that has returned', async () => {
    let runs = 0;
    let second;
    const task = new SharedTask(() => {
      runs++;
      if (runs === 1) queueMicrotask(() => (second = task.join()));
      return runs;
    });
    assert.equal(await task.join(), 1);
    assert.equal(await second, 2);
  });

  it('has a join() that needs no receiver, and that a subclass can replace', async () => {
    class Counting extends SharedTask {
      joins = 0;

      join(options) {
        this.joins++;
        return super.join(options);
      }
    }
    const counting = new Counting(() => 'result');
    assert.equal(await counting.join(), 'result');
    assert.equal(counting.joins, 1);
    const { join } = new SharedTask(() => 'result');
    assert.equal(await join.call({}), 'result');
    assert.deepEqual(await Promise.all([undefined, null, {}].map(join)), Array(3).fill('result'));
  });
});

describe('a join()', () => {
  it('begins nothing if its signal takes no listener, cannot be read, or aborts late', async () => {
    const error = new Error('mine');
    const fail = () => { throw error; };
    let reads = 0;
    for (const signal of [
      { aborted: false, addEventListener: fail },
      { get aborted() { return fail(); } },
      { reason: error, addEventListener() {}, get aborted() { return ++reads >= 3; } },
    ]) {
      const task = new SharedTask(assert.fail);
      await assert.rejects(task.join({ signal }), (e) => e === error);
      assert.deepEqual([task.priority, task.joined, task.isRunning], ['background', 0, false]);
      await onIdle();
    }
  });
});

describe('the run of a SharedTask', () => {
  beforeEach(() => onIdle());

  for (const own of PRIORITIES) {
    it(`of ${own} priority starts with the highest one of its joins`, async () => {
      for (const priority of PRIORITIES) {
        const begun = await effectivePriority((mark) =>
          new SharedTask(mark, { priority: own }).join({ priority }));
        const raised = await effectivePriority((mark) => {
          const task = new SharedTask(mark);
          task.join({ priority: own });
          return task.join({ priority });
        });
        assert.deepEqual([begun, raised], Array(2).fill(TASK[highest(own, priority)]));
      }
    });

    it(`has continuations that a ${own} join moves, until it leaves`, async () => {
      for (const leaves of [false, true]) {
        const marks = [];
        const { task, goOn } = await paused(() => marks.forEach((mark) => mark()));
        const rank = await effectivePriority(async (mark) => {
          marks.push(mark);
          goOn();
          // The continuation is queued when the microtasks have run.
          await Promise.resolve().then(() => {});
          const { signal, leave } = leaving();
          const joined = task.join({ priority: own, signal });
          if (!leaves) return joined;
          leave();
          await settled(joined);
          return task.join({ priority: 'background' });
        });
        assert.equal(rank, CONTINUATION[leaves ? 'background' : own]);
      }
    });
  }

  it('leaves its own priority to what it has not awaited', async () => {
    let rank;
    const task = new SharedTask(() => {
      rank = new Promise((resolve) => process.nextTick(() => {
        resolve(effectivePriority((mark) => scheduler.yield().then(mark)));
      }));
    });
    await task.join({ priority: 'user-blocking' });
    assert.equal(await rank, CONTINUATION.background);
  });

  it('keeps its age when it is raised in its queue: a join is no continuation', async () => {
    const log = [];
    const task = new SharedTask(() => log.push('run'));
    const low = task.join({ priority: 'background' });
    const tasks = ['a', 'b'].map((name) => scheduler.postTask(() => log.push(name)));
    await Promise.all([low, task.join({ priority: 'user-visible' }), ...tasks]);
    assert.deepEqual(log, ['run', 'a', 'b']);
  });

  it('has the priority of a signal that cannot change', async () => {
    const { task, goOn } = await paused();
    task.join({ signal: TaskSignal.any([], { priority: 'user-blocking' }) });
    assert.equal(task.priority, 'user-blocking');
    goOn();
  });

  it('is raised through ten thousand runs that wait for each other', async () => {
    let isOpen = false;
    let task = new SharedTask(async () => {
      while (!isOpen) await scheduler.yield();
    });
    const first = task;
    for (let depth = 0; depth < 10_000; depth++) {
      const inner = task;
      task = new SharedTask(() => inner.join());
    }
    const { signal, leave } = leaving();
    const left = settled(task.join({ priority: 'background', signal }));
    while (!first.isRunning) await background();
    const promise = task.join({ priority: 'user-visible' });
    assert.equal(first.priority, 'user-visible');
    leave();
    isOpen = true;
    await Promise.all([promise, left]);
  });

  it('is not raised by a bound of months', async () => {
    const { task, goOn } = await paused();
    const options = { priority: 'background', maxWait: 2 ** 32 };
    const joined = scheduler.postTask(() => task.join(), options);
    await until(() => task.joined === 1);
    // A timer of such a length would take 1 ms, with a warning.
    await sleep(5);
    assert.equal(task.priority, 'background');
    goOn();
    await joined;
  });
});

describe('a run that would wait for itself', () => {
  beforeEach(() => onIdle());

  const CYCLE = { code: 'ERR_UV_SCHEDULER_CYCLE', name: 'Error' };

  // A ring of shared tasks, each of which joins the next.
  function ringOf(labels) {
    const tasks = labels.map((label, index) =>
      new SharedTask(() => tasks[(index + 1) % tasks.length].join(), { label }));
    return tasks;
  }

  it('is told by an error which ones wait for each other', async () => {
    const tasks = ringOf(['a', 'b', undefined]);
    for (const [first, name] of [[1, "'a'"], [0, 'an unnamed task']]) {
      await assert.rejects(tasks[first].join(), ({ code, message }) =>
        code === CYCLE.code && message.includes(`the run of ${name} would wait for itself`));
    }
    assert.ok(tasks.every(({ isRunning }) => !isRunning));
    await assert.rejects(ringOf(['menu'])[0].join(), {
      ...CYCLE,
      message: "Failed to execute 'join' on 'SharedTask': the run of 'menu' would wait for " +
        "itself ('menu' → 'menu').",
    });
  });

  it('through many others is told the first and the last', async () => {
    const tasks = ringOf(Array.from({ length: 2000 }, (_, index) => `${index}`));
    await assert.rejects(tasks[0].join(), {
      ...CYCLE,
      message: /\('1999' → '0' → '1' → '2' → … → '1996' → '1997' → '1998' → '1999'\)\.$/,
    });
  });

  it('is not looked for among those that wait for it, of which there may be many', async () => {
    // With a look at all of them it takes longer than a test may.
    const MANY = 20_000;
    let asked = 0;
    let isOver = false;
    const leaf = new SharedTask(async () => {
      while (!isOver) await turn();
    });
    const hub = new SharedTask(async () => {
      while (asked < MANY) await turn();
      await scheduler.yield();
      for (let i = 0; i < MANY; i++) leaf.join();
      isOver = true;
    });
    const askers = Array.from({ length: MANY }, () => new SharedTask(() => {
      asked++;
      return hub.join();
    }));
    await Promise.all([leaf, ...askers].map(({ join }) => join()));
  }).timeout(10_000);
});
