'use strict';

// What aborting does to tasks: before they are posted, while they wait, from inside their own
// callback and afterwards. Continuations that are aborted are tested with yield(), signals that are
// not the host's in foreign-signals.

const assert = require('node:assert/strict');
const { TaskController, TaskSignal, scheduler } = require('..');
const { PolyfillSignal, busy, output, settled } = require('./helpers.js');

const never = () => assert.fail('an aborted task ran');

// Every task that was queued before has run when this resolves.
function afterAll() {
  return scheduler.postTask(() => {}, { priority: 'background' });
}

describe('abort', () => {
  describe('of a signal that is aborted already', () => {
    const reasons = [new Error('mine'), 'text', 0, '', false, null, {}, Symbol('reason'), () => {}];

    it('rejects with that very reason', async () => {
      for (const reason of reasons) {
        const controller = new TaskController();
        controller.abort(reason);
        for (const signal of [AbortSignal.abort(reason), controller.signal]) {
          const result = await settled(scheduler.postTask(never, { signal }));
          assert.deepEqual(result, ['rejected', reason]);
          assert.equal(result[1], reason);
        }
      }
    });

    it('rejects with the reason that the host made when none was given', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      controller.abort(undefined);
      const [state, reason] = await settled(scheduler.postTask(never, { signal }));
      assert.equal(state, 'rejected');
      assert.equal(reason, signal.reason);
      assert.equal(reason.name, 'AbortError');
    });

    it('rejects with undefined when that is the reason', async () => {
      const signal = new PolyfillSignal();
      signal.abort(undefined);
      const result = await settled(scheduler.postTask(never, { signal }));
      assert.deepEqual(result, ['rejected', undefined]);
    });

    it('rejects with an AbortError if the signal knows no reasons', async () => {
      const signal = { aborted: true, addEventListener() {}, removeEventListener() {} };
      const [state, reason] = await settled(scheduler.postTask(never, { signal }));
      assert.equal(state, 'rejected');
      assert.equal(reason.name, 'AbortError');
    });

    it('rejects a delayed task at once', async () => {
      const signal = AbortSignal.abort('now');
      const task = scheduler.postTask(never, { signal, delay: 2 ** 40 });
      assert.deepEqual(await settled(task), ['rejected', 'now']);
    });

    it('rejects a task whose priority is given, too', async () => {
      const signal = AbortSignal.abort('now');
      const task = scheduler.postTask(never, { signal, priority: 'user-blocking' });
      assert.deepEqual(await settled(task), ['rejected', 'now']);
    });
  });

  describe('of a waiting task', () => {
    it('rejects with the reason, and the callback never runs', async () => {
      for (const reason of [new Error('mine'), 0, null, '']) {
        const controller = new TaskController();
        const { signal } = controller;
        const task = scheduler.postTask(never, { signal });
        controller.abort(reason);
        assert.deepEqual(await settled(task), ['rejected', reason]);
        await afterAll();
      }
    });

    it('rejects before anything else runs', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const log = [];
      const tasks = [
        scheduler.postTask(() => log.push('ahead'), { priority: 'user-blocking' }),
        scheduler.postTask(never, { signal, priority: 'background' }).catch(() => log.push('no')),
      ];
      controller.abort();
      await Promise.all(tasks);
      assert.deepEqual(log, ['no', 'ahead']);
    });

    it('works from inside another task', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const aborting = scheduler.postTask(() => controller.abort('by a task'));
      const task = scheduler.postTask(never, { signal });
      assert.deepEqual(await settled(task), ['rejected', 'by a task']);
      await aborting;
    });

    it('leaves the tasks of other signals alone', async () => {
      const [a, b] = [new TaskController(), new TaskController()];
      const log = [];
      const post = (name, signal) => settled(scheduler.postTask(() => log.push(name), { signal }));
      const tasks = [
        post('a', a.signal),
        post('b', b.signal),
        post('a', a.signal),
        post('none'),
        post('b', b.signal),
      ];
      a.abort();
      await Promise.all(tasks);
      assert.deepEqual(log, ['b', 'none', 'b']);
    });

    it('cancels a delayed task and its wait', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const task = scheduler.postTask(never, { signal, delay: 5 });
      controller.abort('soon');
      assert.deepEqual(await settled(task), ['rejected', 'soon']);
      await scheduler.postTask(() => {}, { delay: 20, priority: 'background' });
    });

    it('cancels a delayed task whose deadline has passed', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const task = scheduler.postTask(never, { signal, delay: 1 });
      busy(10);
      controller.abort('late');
      assert.deepEqual(await settled(task), ['rejected', 'late']);
      await afterAll();
    });

    it('removes ten thousand tasks of one signal, in the order they were posted', async () => {
      const controller = new TaskController();
      const { signal } = controller;
      const log = [];
      const expected = [];
      const tasks = [];
      for (let each = 0; each < 10_000; each++) {
        const options = { signal };
        if (each % 3 === 1) options.priority = 'background';
        if (each % 5 === 1) options.delay = 1000 - (each % 7);
        tasks.push(scheduler.postTask(never, options).catch(() => log.push(each)));
        expected.push(each);
      }
      controller.abort();
      await Promise.all(tasks);
      assert.deepEqual(log, expected);
      await afterAll();
    });
  });

  describe('from inside the callback of the task', () => {
    it('rejects, whatever the callback then returns', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const log = [];
      const task = scheduler.postTask(() => {
        controller.abort('inside');
        log.push('went on');
        return 'result';
      }, { signal });
      assert.deepEqual(await settled(task), ['rejected', 'inside']);
      assert.deepEqual(log, ['went on']);
    });

    it('rejects with the reason, whatever the callback then throws', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const task = scheduler.postTask(() => {
        controller.abort('inside');
        throw new Error('thrown');
      }, { signal });
      assert.deepEqual(await settled(task), ['rejected', 'inside']);
    });

    it('rejects a task that was delayed', async () => {
      const controller = new TaskController();
      const { signal } = controller;
      const task = scheduler.postTask(() => controller.abort('inside'), { signal, delay: 1 });
      assert.deepEqual(await settled(task), ['rejected', 'inside']);
    });

    it('rejects the running task first, then the waiting ones, and runs none of them', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const log = [];
      const first = scheduler.postTask(() => controller.abort(), { signal });
      const tasks = [first, ...[1, 2, 3].map(() => scheduler.postTask(never, { signal }))];
      await Promise.all(tasks.map((task, index) => task.catch(() => log.push(index))));
      assert.deepEqual(log, [0, 1, 2, 3]);
      await afterAll();
    });
  });

  describe('after the callback has returned', () => {
    it('does nothing', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const result = await scheduler.postTask(() => 'done', { signal });
      controller.abort();
      assert.equal(result, 'done');
    });

    it('does nothing while the result is still pending', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      let finish;
      const result = new Promise((resolve) => (finish = resolve));
      const task = scheduler.postTask(() => result, { signal });
      await scheduler.postTask(() => controller.abort());
      finish('late');
      assert.deepEqual(await settled(task), ['fulfilled', 'late']);
    });

    it('does nothing in the async part of the callback', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const task = scheduler.postTask(async () => {
        await null;
        controller.abort();
        return 'done';
      }, { signal });
      assert.deepEqual(await settled(task), ['fulfilled', 'done']);
    });

    it('leaves no listener behind when the check phase is over', async () => {
      const signal = new PolyfillSignal();
      const tasks = [1, 2, 3].map(() => scheduler.postTask(() => {}, { signal }));
      assert.ok(signal.listeners.length > 0);
      await Promise.all(tasks);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(signal.listeners, []);
    });

    it('listens once for tasks that follow each other', async () => {
      const signal = new PolyfillSignal();
      let count = 0;
      const add = signal.addEventListener;
      signal.addEventListener = function () {
        count++;
        return add.apply(this, arguments);
      };
      await scheduler.postTask(async () => {
        for (let yields = 0; yields < 10; yields++) await scheduler.yield();
      }, { signal });
      // A turn of the loop may end in between.
      assert.ok(count < 5, `${count} listeners were added`);
    });
  });

  describe('cannot be blocked or faked', () => {
    it('by stopImmediatePropagation()', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      signal.addEventListener('abort', (event) => event.stopImmediatePropagation());
      const task = scheduler.postTask(never, { signal });
      signal.addEventListener('abort', (event) => event.stopImmediatePropagation());
      controller.abort('mine');
      assert.deepEqual(await settled(task), ['rejected', 'mine']);
    });

    it('by an abort event that user code dispatches', async () => {
      const { signal } = new TaskController();
      const task = scheduler.postTask(() => 'ran', { signal });
      signal.dispatchEvent(new Event('abort'));
      assert.deepEqual(await settled(task), ['fulfilled', 'ran']);
    });

    it('by such an event before the real abort', async () => {
      const controller = new TaskController();
      const { signal } = controller;
      const tasks = [1, 2].map(() => scheduler.postTask(never, { signal }));
      for (let times = 0; times < 3; times++) signal.dispatchEvent(new Event('abort'));
      tasks.push(scheduler.postTask(never, { signal }));
      signal.addEventListener('abort', (event) => event.stopImmediatePropagation());
      controller.abort('real');
      const expected = Array(3).fill(['rejected', 'real']);
      assert.deepEqual(await Promise.all(tasks.map(settled)), expected);
      await afterAll();
    });

    it('by such an event inside the callback, before the real abort there', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const task = scheduler.postTask(() => {
        signal.dispatchEvent(new Event('abort'));
        controller.abort('real');
      }, { signal });
      assert.deepEqual(await settled(task), ['rejected', 'real']);
    });

    it('by a signal that is used again and again', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      for (let times = 0; times < 20; times++) await scheduler.postTask(() => {}, { signal });
      const task = scheduler.postTask(never, { signal });
      controller.abort('at last');
      assert.deepEqual(await settled(task), ['rejected', 'at last']);
    });
  });

  it('rejects an older task before one that an abort listener posts', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const log = [];
    let late;
    signal.addEventListener('abort', () => {
      late = scheduler.postTask(never, { signal }).catch(() => log.push('late'));
    });
    const early = scheduler.postTask(never, { signal }).catch(() => log.push('early'));
    controller.abort();
    await Promise.all([early, late]);
    assert.deepEqual(log, ['early', 'late']);
  });

  it('lets a listener post tasks that have other signals', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let other;
    signal.addEventListener('abort', () => (other = scheduler.postTask(() => 'other')));
    const task = scheduler.postTask(never, { signal });
    controller.abort();
    await assert.rejects(task, { name: 'AbortError' });
    assert.equal(await other, 'other');
  });

  describe('comes from', () => {
    it('AbortSignal.timeout()', async () => {
      const signal = AbortSignal.timeout(5);
      const task = scheduler.postTask(never, { signal, delay: 60_000 });
      await assert.rejects(task, { name: 'TimeoutError' });
    });

    for (const { any, name } of [{ any: AbortSignal.any, name: 'AbortSignal' },
      { any: TaskSignal.any, name: 'TaskSignal' }]) {
      it(`${name}.any()`, async () => {
        const controllers = [new AbortController(), new TaskController()];
        const signal = any.call(AbortSignal, controllers.map((each) => each.signal));
        const tasks = [1, 2].map(() => scheduler.postTask(never, { signal }));
        controllers[1].abort('second');
        controllers[0].abort('first');
        const expected = Array(2).fill(['rejected', 'second']);
        assert.deepEqual(await Promise.all(tasks.map(settled)), expected);
      });
    }
  });

  it('hears a dispatched event once, also beside a listener that adds itself again', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let heard = 0;
    const listener = () => {
      assert.ok(++heard < 100, 'the event never ends');
      signal.addEventListener('abort', listener, { once: true });
    };
    listener();
    const task = scheduler.postTask(never, { signal, delay: 60_000 });
    signal.dispatchEvent(new Event('abort'));
    controller.abort('mine');
    assert.deepEqual(await settled(task), ['rejected', 'mine']);
  });

  it('in its own callback leaves a thenable that the callback returns alone', async () => {
    const lines = await output((root) => {
      const { scheduler: own } = require(root);
      const controller = new AbortController();
      own.postTask(() => {
        controller.abort('mine');
        return { then: () => console.log('then') };
      }, { signal: controller.signal }).catch(console.log);
    });
    assert.deepEqual(lines, ['mine']);
  });

  it('is not reported as an uncaught exception or a listener leak', async () => {
    const lines = await output((root) => {
      const { scheduler: own } = require(root);
      const controller = new AbortController();
      const { signal } = controller;
      const tasks = Array.from({ length: 50 }, () => own.postTask(() => {}, { signal }));
      process.on('warning', (warning) => console.log(warning.name));
      controller.abort();
      Promise.allSettled(tasks).then((results) => console.log(results.length));
    });
    assert.deepEqual(lines, ['50']);
  });
});
