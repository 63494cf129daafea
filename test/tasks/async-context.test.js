'use strict';

// The async context of tasks in AsyncLocalStorage and async_hooks: the values of the postTask()
// call, and a resource for each task. scheduling-state.test.js tests the scheduling state.
// @host each-node

const assert = require('node:assert/strict');
const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, executionAsyncResource,
  triggerAsyncId } = require('node:async_hooks');
const { TaskController, TaskSignal, cancelIdleCallback, requestIdleCallback, scheduler } =
  require('../..');
const { output } = require('../helpers/tasks.js');

describe('AsyncLocalStorage', () => {
  const storage = new AsyncLocalStorage();

  it('has the values of the postTask() call in the callback, and no others behind it', async () => {
    for (const options of [{}, { priority: 'user-blocking' }, { delay: 1 },
      { signal: new TaskController().signal }]) {
      const task = storage.run('call', () => scheduler.postTask(async () => {
        const before = storage.getStore();
        await scheduler.yield();
        const seen = [before, storage.getStore()];
        storage.enterWith('inside');
        return seen;
      }, options));
      const next = scheduler.postTask(() => storage.getStore(), options);
      assert.deepEqual(await storage.run('elsewhere', () => task), ['call', 'call']);
      assert.deepEqual([await next, storage.getStore()], [undefined, undefined]);
    }
  });

  it('has those of the call in an idle callback, of the change in a listener', async () => {
    const idle = storage.run('call', () => new Promise((resolve) => {
      requestIdleCallback(() => resolve(storage.getStore()));
    }));
    assert.equal(await idle, 'call');
    const controller = new TaskController();
    const dependent = TaskSignal.any([controller.signal], { priority: controller.signal });
    const heard = [];
    storage.run('listener', () => {
      for (const type of ['prioritychange', 'abort']) {
        dependent.addEventListener(type, () => heard.push(storage.getStore()));
      }
    });
    storage.run('changer', () => controller.setPriority('background'));
    storage.run('aborter', () => controller.abort());
    assert.deepEqual(heard, ['changer', 'aborter']);
  });

  it('has no value in a task that was posted without one @async-exit', async () => {
    let inner;
    await storage.run('outer', () => scheduler.postTask(() => {
      inner = storage.exit(() => scheduler.postTask(() => storage.getStore()));
    }));
    assert.equal(await inner, undefined);
  });
});

describe('async_hooks', () => {
  it('see each task as an AsyncResource, from the post to the callback @async-hooks', async () => {
    const made = new Map();
    const log = [];
    const hook = createHook({
      init: (id, type, trigger, resource) => made.set(id, { resource, trigger }),
      before: (id) => log.push(`before ${id}`),
      after: (id) => log.push(`after ${id}`),
    });
    hook.enable();
    const caller = executionAsyncId();
    const posted = [1, 2].map(() => scheduler.postTask(() => {
      const id = executionAsyncId();
      log.push(`run ${id}`);
      return { id, trigger: triggerAsyncId(), resource: executionAsyncResource() };
    }));
    const known = new Set(made.keys());
    const tasks = await Promise.all(posted);
    hook.disable();
    for (const { id, trigger, resource } of tasks) {
      assert.ok(known.has(id), 'postTask() creates the resource');
      assert.ok(resource instanceof AsyncResource);
      assert.equal(made.get(id).resource, resource);
      assert.equal(made.get(id).trigger, caller);
      assert.equal(trigger, caller);
      const own = log.filter((entry) => entry.endsWith(` ${id}`));
      assert.deepEqual(own, [`before ${id}`, `run ${id}`, `after ${id}`]);
    }
    assert.notEqual(tasks[0].id, tasks[1].id);
  });

  it('see by hasRef() whether a task or idle callback keeps alive @async-hooks', async () => {
    const resources = [];
    const hook = createHook({
      init(id, type, trigger, resource) {
        if (['SchedulerTask', 'IdleCallback'].includes(type)) resources.push(resource);
      },
    });
    const refs = () => resources.map((resource) => resource.hasRef());
    const controller = new TaskController();
    hook.enable();
    const tasks = [
      scheduler.postTask(() => {}),
      scheduler.postTask(() => Promise.reject(new Error('rejects')), { delay: 2 }).catch(() => {}),
      scheduler.postTask(() => {}, { signal: new TaskController().signal }),
      new Promise((resolve) => requestIdleCallback(resolve)),
      scheduler.postTask(() => {}, { ref: false }),
      new Promise((resolve) => requestIdleCallback(resolve, { ref: false })),
    ];
    const aborted = scheduler.postTask(() => {}, { signal: controller.signal, delay: 60_000 });
    const handle = requestIdleCallback(() => {});
    // Runs, but nothing of the scheduler waits for it.
    let settle;
    const pending = scheduler.postTask(() => new Promise((resolve) => (settle = resolve)));
    hook.disable();
    assert.deepEqual(refs(), [true, true, true, true, false, false, true, true, true]);
    controller.abort();
    cancelIdleCallback(handle);
    assert.deepEqual(refs(), [true, true, true, true, false, false, false, false, true]);
    await Promise.all(tasks);
    await assert.rejects(aborted);
    assert.deepEqual(refs(), Array(9).fill(false));
    settle();
    await pending;
  });

  it('do not change the state that a continuation inherits @async-hooks', async () => {
    const lines = await output((root) => {
      const { createHook: create } = require('node:async_hooks');
      const { scheduler: own } = require(root);
      create({ init() {} }).enable();
      own.postTask(async () => {
        await null;
        await new Promise((resolve) => setTimeout(resolve, 1));
        process.nextTick(async () => {
          own.postTask(() => console.log('task'), { priority: 'user-blocking' });
          await own.yield();
          console.log('continuation');
        });
      }, { priority: 'user-blocking' });
    });
    assert.deepEqual(lines, ['continuation', 'task']);
  });
});
