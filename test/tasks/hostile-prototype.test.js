'use strict';

// Members of any name on `Object.prototype`, from careless libraries or prototype pollution: none
// may lose a task or be mistaken for a member of the package's own objects.

const assert = require('node:assert/strict');
const { output } = require('../helpers/tasks.js');

describe('a member of Object.prototype', () => {
  it('with the name of a priority loses no task', async () => {
    const lines = await output((root) => {
      for (const name of ['user-blocking', 'user-visible', 'background', 'followed']) {
        Object.prototype[name] = 'x';
      }
      const { TaskController, scheduler } = require(root);
      for (const priority of ['user-blocking', 'user-visible', 'background']) {
        const { signal } = new TaskController({ priority });
        const post = (options) => {
          const log = () => console.log(priority, Object.keys(options).join());
          scheduler.postTask(log, options).catch(console.log);
        };
        post({ priority });
        post({ signal });
        post({ priority, signal });
      }
    });
    const expected = ['user-blocking', 'user-visible', 'background'].flatMap((priority) => {
      return ['priority', 'signal', 'priority,signal'].map((options) => `${priority} ${options}`);
    });
    assert.deepEqual(lines, expected);
  });

  it('with the name of a member of tasks is not called', async () => {
    const lines = await output((root) => {
      const { TaskController, requestIdleCallback, scheduler } = require(root);
      const fake = (name) => ({ leave: () => console.log(`left ${name}`) });
      for (const name of ['id', 'queue', 'previous', 'next', 'state', 'states', 'abortSource']) {
        Object.prototype[name] = fake(name);
      }
      const { signal } = new TaskController({ priority: 'background' });
      const log = (name) => () => console.log(name);
      scheduler.yield().then(log('continuation'));
      scheduler.postTask(log('task'));
      scheduler.postTask(log('signal'), { signal });
      scheduler.yield({ signal }).then(log('continuation of the signal'));
      requestIdleCallback(log('idle'));
    });
    const expected = ['continuation', 'task', 'continuation of the signal', 'signal', 'idle'];
    assert.deepEqual(lines, expected);
  });

  it('that cannot be shadowed by assignment loses no task', async () => {
    const lines = await output((root) => {
      const { TaskController, requestIdleCallback, scheduler } = require(root);
      // Without names that Node itself assigns to.
      const names = ['queue', 'state', 'states', 'resolve', 'reject', 'abortSource', 'isUnused',
        'prioritySource', 'operation', 'idle', 'late', 'request'];
      for (const name of names) {
        Object.defineProperty(Object.prototype, name, { get: () => 'x', configurable: true });
      }
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      const log = (name) => () => console.log(name);
      scheduler.postTask(log('task')).catch(console.log);
      scheduler.postTask(log('signal'), { priority: 'background', signal }).catch(console.log);
      scheduler.yield({ priority: 'background', signal }).then(log('continuation'), console.log);
      scheduler.postTask(1).catch(({ name }) => console.log(name));
      requestIdleCallback(log('idle'));
      controller.setPriority('user-visible');
    });
    assert.deepEqual(lines, ['TypeError', 'task', 'continuation', 'signal', 'idle']);
  });

  it('with the name of a member of shared tasks changes no run', async () => {
    const lines = await output((root) => {
      const { SharedTask, TaskController, scheduler } = require(root);
      // Without names that Node itself assigns to.
      const names = ['run', 'shared', 'joined', 'asker', 'client', 'followers', 'promise',
        'isOver', 'isAborted', 'abortWhenUnused', 'background'];
      for (const name of names) {
        Object.defineProperty(Object.prototype, name, {
          get: () => 'x', configurable: true, enumerable: true,
        });
      }
      const controller = new TaskController({ priority: 'user-blocking' });
      const { signal } = controller;
      const task = new SharedTask(async () => {
        await scheduler.yield();
        return 'result';
      }, { __proto__: null });
      task.join({ __proto__: null, signal }).then(console.log);
      console.log(task.priority, task.joined);
      controller.setPriority('user-visible');
      console.log(task.priority);
      task.join().then((result) => console.log(result, task.priority, task.isRunning));
    });
    assert.deepEqual(lines,
      ['user-blocking 1', 'user-visible', 'result', 'result background false']);
  });

  it('with the name of an option changes no event and no signal', async () => {
    const lines = await output((root) => {
      const { TaskController, TaskSignal } = require(root);
      for (const name of ['bubbles', 'cancelable', 'composed', 'source', 'isFixed']) {
        Object.prototype[name] = true;
      }
      const controller = new TaskController();
      const { signal } = controller;
      const dependent = TaskSignal.any([], { priority: signal });
      signal.onprioritychange = ({ bubbles, cancelable, composed }) => {
        console.log(bubbles, cancelable, composed);
      };
      controller.setPriority('background');
      console.log(signal.priority, dependent.priority);
    });
    assert.deepEqual(lines, ['false false false', 'background background']);
  });

  it('with the name of a property attribute lets the package be loaded @prototypes', async () => {
    const lines = await output((root) => {
      for (const name of ['get', 'set', 'writable', 'value', 'configurable', 'enumerable']) {
        Object.defineProperty(Object.prototype, name, {
          __proto__: null,
          value: () => {},
          writable: true,
          configurable: true,
        });
      }
      const { Scheduler, scheduler } = require(root);
      require(`${root}/register.js`);
      for (const name of ['get', 'set', 'writable', 'value', 'configurable', 'enumerable']) {
        delete Object.prototype[name];
      }
      const { enumerable } = Object.getOwnPropertyDescriptor(globalThis, 'Scheduler');
      console.log(globalThis.Scheduler === Scheduler, globalThis.scheduler === scheduler);
      console.log(enumerable);
    });
    assert.deepEqual(lines, ['true true', 'false']);
  });
});
