'use strict';

// The `code` of errors, which is that of Node's own functions in the same case. webidl.test.js
// tests the messages, host.test.js the hosts that are refused.

const assert = require('node:assert/strict');
const { Scheduler, SharedTask, TaskController, TaskPriorityChangeEvent, TaskSignal,
  cancelIdleCallback, createScheduler, monitorTasks, reportSlowTasks, requestIdleCallback,
  scheduler, traceTasks } = require('../..');

const nothing = () => {};
const signal = {};
const priority = 'high';
const monitor = monitorTasks();
const { background } = monitor.priorities;
const getterOf = (object, name) => getter(object.constructor, name);
const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;

// Calls of the getters of an object's attributes with another receiver.
function receivers(object, names) {
  return Object.fromEntries(names.map((name) => [name, () => getterOf(object, name).call({})]));
}

const CALLS = {
  ERR_INVALID_ARG_TYPE: {
    'postTask without a callback': () => scheduler.postTask(),
    'options of postTask that are none': () => scheduler.postTask(nothing, 1),
    'a signal that is none': () => scheduler.postTask(nothing, { signal }),
    'a delay that is a bigint': () => scheduler.postTask(nothing, { delay: 1n }),
    'a maxWait that is a string': () => scheduler.postTask(nothing, { maxWait: '5' }),
    'a maxWait that is null': () => scheduler.postTask(nothing, { maxWait: null }),
    'a priority that is a symbol': () => scheduler.postTask(nothing, { priority: Symbol() }),
    'options of yield that are none': () => scheduler.yield('inherit'),
    'a signal of yield that is none': () => scheduler.yield({ signal: 'inherited' }),
    'a SharedTask without a callback': () => new SharedTask(),
    'options of a SharedTask that are none': () => new SharedTask(nothing, 1),
    'a label of a SharedTask that is a symbol': () => new SharedTask(nothing, { label: Symbol() }),
    'options of join that are none': () => new SharedTask(nothing).join('user-visible'),
    'a signal of join that is none': () => new SharedTask(nothing).join({ signal: 'inherit' }),
    'init of TaskController': () => new TaskController(1),
    'no signals': () => TaskSignal.any(),
    'an element of signals': () => TaskSignal.any([{}]),
    'init of TaskSignal.any': () => TaskSignal.any([], 1),
    'a TaskPriorityChangeEvent without init': () => new TaskPriorityChangeEvent('type'),
    'one without a previous priority': () => new TaskPriorityChangeEvent('type', {}),
    'no idle callback': () => requestIdleCallback(),
    'a timeout that is a symbol': () => requestIdleCallback(nothing, { timeout: Symbol() }),
    'no handle': () => cancelIdleCallback(),
    'a previous utilization that is null': () => monitor.utilization(null),
    'one that only looks like it': () => monitor.utilization({ ...monitor.utilization() }),
    'the times of a monitor': () => monitor.utilization(monitor.time),
    'no report of reportSlowTasks': () => reportSlowTasks({}),
    'options of reportSlowTasks that are a function': () => reportSlowTasks(nothing),
    'a duration that is a string': () => reportSlowTasks({ duration: '50' }, nothing),
    'a signal of reportSlowTasks': () => reportSlowTasks({ signal }, nothing),
    'no file of traceTasks': () => traceTasks(),
    'a file that is a number': () => traceTasks(1),
    'a file that is a URL': () => traceTasks(new URL('file:///trace.json')),
  },
  ERR_INVALID_ARG_VALUE: {
    'a priority of postTask': () => scheduler.postTask(nothing, { priority }),
    'null for a priority': () => scheduler.postTask(nothing, { priority: null }),
    'a priority of yield': () => scheduler.yield({ priority }),
    'a priority of a SharedTask': () => new SharedTask(nothing, { priority }),
    'a priority of a SharedTask that is inherited': () => {
      return new SharedTask(nothing, { priority: 'inherit' });
    },
    'a misspelt member of a SharedTask': () => new SharedTask(nothing, { lable: 'menu' }),
    'a priority of join': () => new SharedTask(nothing).join({ priority }),
    'null for a priority of join': () => new SharedTask(nothing).join({ priority: null }),
    'a misspelt member of join': () => new SharedTask(nothing).join({ sginal: undefined }),
    'a priority of TaskController': () => new TaskController({ priority }),
    'a misspelt member of reportSlowTasks': () => reportSlowTasks({ delays: 5 }, nothing),
    'an empty file of traceTasks': () => traceTasks(''),
    'a file of traceTasks with a null byte': () => traceTasks('trace\0.json'),
    'a priority of setPriority': () => new TaskController().setPriority(priority),
    'a priority of TaskSignal.any': () => TaskSignal.any([], { priority }),
    'a previous priority': () => {
      return new TaskPriorityChangeEvent('type', { previousPriority: priority });
    },
  },
  ERR_OUT_OF_RANGE: {
    ...Object.fromEntries([-1, NaN, Infinity, 2 ** 53].map((delay) => {
      return [`a delay of ${delay}`, () => scheduler.postTask(nothing, { delay })];
    })),
    'a duration of 0': () => reportSlowTasks({ duration: 0 }, nothing),
    'a delay of reportSlowTasks of -1': () => reportSlowTasks({ delay: -1 }, nothing),
    ...Object.fromEntries([0, -1, NaN, -Infinity].map((maxWait) => {
      return [`a maxWait of ${maxWait}`, () => scheduler.postTask(nothing, { maxWait })];
    })),
  },
  ERR_INVALID_THIS: {
    'postTask': () => scheduler.postTask.call({}, nothing),
    'yield': () => scheduler.yield.call(),
    'setPriority': () => TaskController.prototype.setPriority.call({}, 'background'),
    'priority': () => getter(TaskSignal, 'priority').call(new AbortController().signal),
    'onprioritychange': () => getter(TaskSignal, 'onprioritychange').call({}),
    ...receivers(new SharedTask(nothing), ['join', 'priority', 'joined', 'isRunning']),
    'previousPriority': () => getter(TaskPriorityChangeEvent, 'previousPriority').call({}),
    ...Object.fromEntries(['enable', 'disable', 'reset', 'utilization', 'toJSON'].map((name) => {
      return [name, () => monitor[name].call({ disable() {} })];
    })),
    'dispose': () => monitor[Symbol.dispose].call({ disable() {} }),
    ...receivers(monitor, ['labels', 'longest', 'time']),
    ...receivers(background, ['queued', 'oldest', 'running', 'completed', 'failed', 'aborted']),
    ...receivers(background.delay, ['count', 'sum', 'buckets', 'histogram']),
  },
  ERR_ILLEGAL_CONSTRUCTOR: {
    'Scheduler': () => new Scheduler(),
    'TaskSignal': () => new TaskSignal(),
    'a subclass of createScheduler()\'s': () => new (class extends createScheduler().constructor {
    })(),
  },
};

describe('an error is a TypeError with the code', () => {
  for (const [code, calls] of Object.entries(CALLS)) {
    for (const [name, call] of Object.entries(calls)) {
      it(`${code}: ${name}`, async () => {
        const error = await (async () => call())().catch((reason) => reason);
        assert.ok(error instanceof TypeError, `${error}`);
        assert.equal(error.code, code);
        const { writable, enumerable, configurable } =
          Object.getOwnPropertyDescriptor(error, 'code');
        assert.deepEqual([writable, enumerable, configurable], [true, true, true]);
      });
    }
  }
});

describe('the error of a class that cannot be constructed says where its objects come from', () => {
  const constructors = {
    'Scheduler': [() => new Scheduler(), /\bcreateScheduler\(\)/],
    'TaskSignal': [() => new TaskSignal(), /\bTaskController\b/],
  };
  for (const [name, [construct, message]] of Object.entries(constructors)) {
    it(name, () => assert.throws(construct, { message }));
  }
});
