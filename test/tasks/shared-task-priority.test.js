'use strict';

// How urgent the run of a SharedTask is: as the most urgent of all that wait for it, at any moment,
// with all that it awaits.

const assert = require('node:assert/strict');
const { setTimeout: sleep } = require('node:timers/promises');
const {
  SharedTask, TaskController, TaskSignal, createScheduler, onIdle, scheduler,
} = require('../..');
const { background, leaving, until } = require('../helpers/shared-tasks.js');
const {
  CONTINUATION, PRIORITIES, TASK, effectivePriority, logChanges, settled,
} = require('../helpers/tasks.js');

const highest = (...priorities) => PRIORITIES.find((each) => priorities.includes(each));

// A shared task with a run that has started and waits until `goOn()` is called. Then it yields, and
// calls `mark`.
async function paused(mark = () => {}, options) {
  let goOn;
  let hasStarted;
  const isStarted = new Promise((resolve) => (hasStarted = resolve));
  const task = new SharedTask(async () => {
    hasStarted();
    await new Promise((resolve) => (goOn = resolve));
    await scheduler.yield();
    mark();
  }, options);
  const { signal, leave } = leaving();
  const joined = settled(task.join({ priority: 'background', signal }));
  await isStarted;
  leave();
  await joined;
  return { task, goOn };
}

// Calls a function in a task of this priority.
const inTask = (priority, callback) => scheduler.postTask(callback, { priority });

describe('the run of a SharedTask', () => {
  beforeEach(() => onIdle());

  for (const own of PRIORITIES) {
    for (const priority of PRIORITIES) {
      const expected = highest(own, priority);
      it(`of ${own} priority that a ${priority} join begins is ${expected}`, async () => {
        const rank = await effectivePriority((mark) => {
          return new SharedTask(mark, { priority: own }).join({ priority });
        });
        assert.equal(rank, TASK[expected]);
      });

      it(`is ${expected} in its queue, if a ${priority} join comes to ${own} ones`, async () => {
        const rank = await effectivePriority((mark) => {
          const task = new SharedTask(mark);
          task.join({ priority: own });
          return task.join({ priority });
        });
        assert.equal(rank, TASK[expected]);
      });
    }

    it(`has continuations that a ${own} join moves at once`, async () => {
      const marks = [];
      const { task, goOn } = await paused(() => marks.forEach((mark) => mark()));
      const rank = await effectivePriority((mark) => {
        marks.push(mark);
        goOn();
        // The continuation is queued when the microtasks have run.
        return Promise.resolve().then(() => {}).then(() => task.join({ priority: own }));
      });
      assert.equal(rank, CONTINUATION[own]);
    });
  }

  it('is background by default, and user-visible for a join outside of tasks', async () => {
    const task = new SharedTask(() => {});
    assert.equal(task.priority, 'background');
    const promise = task.join();
    assert.equal(task.priority, 'user-visible');
    await promise;
  });

  it('lets its continuations wait again when those that were urgent have left', async () => {
    const marks = [];
    const { task, goOn } = await paused(() => marks.forEach((mark) => mark()));
    const rank = await effectivePriority((mark) => {
      marks.push(mark);
      goOn();
      const { signal, leave } = leaving();
      const joined = settled(task.join({ priority: 'user-blocking', signal }));
      return Promise.resolve().then(() => {}).then(() => {
        leave();
        return joined.then(() => task.join({ priority: 'background' }));
      });
    });
    assert.equal(rank, CONTINUATION.background);
  });

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
});

describe('the priority of a join()', () => {
  beforeEach(() => onIdle());

  it('is fixed if it is given, or if the signal has a fixed one', async () => {
    const { task, goOn } = await paused();
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    task.join({ priority: 'background', signal });
    task.join({ priority: 'inherit', signal: TaskSignal.any([signal], { priority: signal }) });
    assert.equal(task.priority, 'user-visible');
    controller.setPriority('user-blocking');
    assert.equal(task.priority, 'user-visible');
    task.join({ signal: TaskSignal.any([], { priority: 'user-blocking' }) });
    assert.equal(task.priority, 'user-blocking');
    goOn();
  });

  it('is inherited in tasks of further schedulers, whose yields in a run follow it', async () => {
    const other = createScheduler();
    const controller = new TaskController({ priority: 'background' });
    const log = [];
    let release;
    const task = new SharedTask(async () => {
      await new Promise((resolve) => (release = resolve));
      await other.yield();
      log.push('run');
    }, { priority: 'background' });
    const joined = other.postTask(() => task.join(), { signal: controller.signal });
    await until(() => release !== undefined);
    assert.equal(task.priority, 'background');
    controller.setPriority('user-blocking');
    assert.equal(task.priority, 'user-blocking');
    release();
    await Promise.all([joined, scheduler.postTask(() => log.push('task'))]);
    assert.deepEqual(log, ['run', 'task']);
  });

  it('goes through ten thousand runs that wait for each other', async () => {
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
});

describe('an error in the middle of a priority change', () => {
  it('of the signal that is followed changes the run all the same', async () => {
    const { task, goOn } = await paused();
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const promise = task.join({ signal });
    const error = new Error('overridden');
    signal.dispatchEvent = () => {
      throw error;
    };
    assert.throws(() => controller.setPriority('user-blocking'), (e) => e === error);
    assert.equal(task.priority, 'user-blocking');
    goOn();
    await promise;
  });

  it('leaves dependent signals of the source to be told', async () => {
    const { task, goOn } = await paused();
    const controller = new TaskController({ priority: 'background' });
    const dependent = TaskSignal.any([], { priority: controller.signal });
    const promise = task.join({ signal: controller.signal });
    const log = logChanges({ source: controller.signal, dependent });
    controller.setPriority('user-visible');
    const change = 'background → user-visible';
    assert.deepEqual(log, [`source: ${change}`, `dependent: ${change}`]);
    goOn();
    await promise;
  });
});

describe('urgent work does not wait for unimportant work', () => {
  // Posts pages, each when the one before has run, so that background work gets no turn. Counts
  // them until `isOver()`, at most so many.
  function rush(isOver, most) {
    let pages = 0;
    const page = async () => {
      await scheduler.yield();
      pages++;
      if (!isOver() && pages < most) scheduler.postTask(page);
    };
    for (let visitor = 0; visitor < 3; visitor++) scheduler.postTask(page);
    return { get pages() {
      return pages;
    } };
  }

  it('a refresh with a bound that joins what a crawler has begun', async () => {
    const load = new SharedTask(async () => {
      for (let part = 0; part < 10; part++) await scheduler.yield();
      return 'menu';
    });
    const crawler = inTask('background', () => load.join());
    let isOver = false;
    const most = 200_000;
    const visitors = rush(() => isOver, most);
    const options = { priority: 'background', maxWait: 20 };
    assert.equal(await scheduler.postTask(() => load.join(), options), 'menu');
    isOver = true;
    await crawler;
    assert.ok(visitors.pages < most, `${visitors.pages} pages came before it`);
  });

  it('a bound of months does not raise what was joined', async () => {
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

  it('a join is no continuation: a run that is raised in its queue keeps its age', async () => {
    const log = [];
    const task = new SharedTask(() => log.push('run'));
    const low = task.join({ priority: 'background' });
    const tasks = ['a', 'b'].map((name) => scheduler.postTask(() => log.push(name)));
    await Promise.all([low, task.join({ priority: 'user-visible' }), ...tasks]);
    assert.deepEqual(log, ['run', 'a', 'b']);
  });
});
