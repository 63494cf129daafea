'use strict';

// The scheduling state follows a task through its own asynchronous code, but not into the callbacks
// that it starts. The tests see it by what a continuation inherits. Random programs of the loop
// test that it does not leak into other tasks, async-context.test.js what others see of a task.

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const fs = require('node:fs');
const net = require('node:net');
const timers = require('node:timers/promises');
const { TaskController, createScheduler, scheduler, shouldYield } = require('../..');
const {
  CONTINUATION, effectivePriority, priorityOfYield, settled,
} = require('../helpers/tasks.js');

const NONE = CONTINUATION['user-visible'];

// Calls `start(callback)` in a task of this priority. Returns the effective priority of a
// continuation in the callback.
function stateIn(start, priority = 'user-blocking') {
  return new Promise((resolve, reject) => {
    const callback = () => {
      priorityOfYield().then(resolve, reject);
    };
    scheduler.postTask(() => start(callback), { priority }).catch(reject);
  });
}

describe('the scheduling state', () => {
  const own = {
    'the callback itself': (run) => run(),
    'an await': async (run) => {
      await null;
      run();
    },
    'an await of a timer': async (run) => {
      await timers.setTimeout(1);
      run();
    },
    'an await of a thenable': async (run) => {
      await { then: (resolve) => setTimeout(resolve, 1) };
      run();
    },
    'a rejected yield': async (run) => {
      await scheduler.yield({ signal: AbortSignal.abort() }).catch(() => {});
      run();
    },
    'a call of then()': (run) => Promise.resolve().then(run),
    'queueMicrotask()': (run) => queueMicrotask(run),
    'process.nextTick()': (run) => process.nextTick(run),
    'ticks and microtasks @async-ids': (run) => process.nextTick(() => queueMicrotask(() => {
      process.nextTick(() => Promise.resolve().then(() => process.nextTick(run)));
    })),
    'a tick behind an await of I/O @async-ids': async (run) => {
      await fs.promises.stat(__filename);
      process.nextTick(run);
    },
    'an event that the task dispatches itself': (run) => {
      const target = new EventTarget();
      target.addEventListener('event', run);
      target.dispatchEvent(new Event('event'));
    },
    'a nested AsyncLocalStorage.run()': (run) => new AsyncLocalStorage().run('mine', async () => {
      await null;
      run();
    }),
  };

  for (const [name, start] of Object.entries(own)) {
    it(`follows the task through ${name}`, async () => {
      assert.equal(await stateIn(start), CONTINUATION['user-blocking']);
      assert.equal(await stateIn(start, 'background'), CONTINUATION.background);
    });
  }

  const other = {
    'an immediate': (run) => setImmediate(run),
    'a timer that an immediate starts': (run) => setImmediate(() => setTimeout(run, 1)),
    'a file operation @turns-of-files': (run) => fs.stat(__filename, run),
    'a message port @turns-of-messages': (run) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        run();
      };
      port2.postMessage('text');
    },
    'a server': (run) => {
      const server = net.createServer((socket) => {
        socket.destroy();
        server.close();
        run();
      });
      server.listen(0, () => net.connect(server.address().port).on('error', () => {}));
    },
    'a timer started behind an await': async (run) => {
      await timers.setTimeout(1);
      setTimeout(run, 1);
    },
  };

  for (const [name, start] of Object.entries(other)) {
    it(`is the default in a callback that the task started, of ${name}`, async () => {
      assert.equal(await stateIn(start), NONE);
      assert.equal(await stateIn(start, 'background'), NONE);
    });
  }

  it('includes the abort source, and drops it likewise @async-ids', async () => {
    const controller = new TaskController({ priority: 'background' });
    await scheduler.postTask(async () => {
      await timers.setTimeout(1);
      const inTimer = new Promise((resolve) => {
        setTimeout(() => resolve(settled(scheduler.yield())), 1);
      });
      await timers.setTimeout(1);
      await fs.promises.stat(__filename);
      const inTask = settled(scheduler.yield());
      controller.abort('mine');
      assert.deepEqual(await inTask, ['rejected', 'mine']);
      assert.deepEqual(await inTimer, ['fulfilled', undefined]);
      const late = await new Promise((resolve) => {
        setImmediate(() => resolve(settled(scheduler.yield())));
      });
      assert.deepEqual(late, ['fulfilled', undefined]);
    }, { signal: controller.signal });
  });

  describe('of a reaction', () => {
    for (const [registered, resolved] of [['user-blocking', 'background'],
      ['background', 'user-blocking'], ['user-blocking', undefined], [undefined, 'background']]) {
      it(`is ${registered ?? 'none'} when ${resolved ?? 'no'} code resolves it`, async () => {
        let resolve;
        const promise = new Promise((each) => (resolve = each));
        let rank;
        const register = () => {
          rank = promise.then(() => priorityOfYield());
        };
        if (registered === undefined) register();
        else await scheduler.postTask(register, { priority: registered });
        if (resolved === undefined) resolve();
        else await scheduler.postTask(() => resolve(), { priority: resolved });
        assert.equal(await rank, CONTINUATION[registered ?? 'user-visible']);
      });
    }
  });
});

describe('the scheduling state of a scheduler that createScheduler() made', () => {
  const other = createScheduler();
  const later = () => scheduler.wait(1, { priority: 'user-blocking' });

  const priorityOf = (yieldOnce) => effectivePriority((mark) => yieldOnce().then(mark));

  it('is inherited by its own yields alone, in a chain that any of them began', async () => {
    for (const [own, foreign] of [[scheduler, other], [other, scheduler]]) {
      const inherited = await own.postTask(async () => {
        const first = await priorityOf(() => foreign.yield());
        const second = await priorityOf(() => own.yield());
        await foreign.yield({ priority: 'user-blocking' });
        await later();
        const third = await priorityOf(() => foreign.wait(0, { priority: 'inherit' }));
        return [first, second, third, await priorityOf(() => own.yield({ signal: 'inherit' }))];
      }, { priority: 'background' });
      assert.deepEqual(inherited, [NONE, CONTINUATION.background, NONE, CONTINUATION.background]);
    }
  });

  it('is what shouldYield() asks for', async () => {
    for (const each of [scheduler, other]) {
      const answers = await each.postTask(() => {
        // A continuation of background work would come after this task, one of urgent work before.
        const task = scheduler.postTask(() => {}, { priority: 'user-blocking' });
        return Promise.all([shouldYield(), task]);
      }, { priority: 'background' });
      assert.equal(answers[0], true);
    }
    const task = other.postTask(() => {
      scheduler.postTask(() => {});
      return shouldYield();
    }, { priority: 'user-blocking' });
    assert.equal(await task, false);
  });
});
