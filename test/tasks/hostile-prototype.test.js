'use strict';

// Members of any name on `Object.prototype`, from careless libraries or prototype pollution: none
// may lose a task or be mistaken for a member of the package's own objects.

const assert = require('node:assert/strict');
const { output } = require('../helpers/tasks.js');

// Prints what becomes of tasks, continuations, idle callbacks, signals, events and shared tasks.
async function program(root) {
  const { SharedTask, TaskController, TaskSignal, requestIdleCallback, scheduler } = require(root);
  globalThis.pollute?.();
  const log = (name) => () => console.log(name);
  const controller = new TaskController({ priority: 'background' });
  const { signal } = controller;
  const dependent = TaskSignal.any([], { priority: signal });
  scheduler.postTask(1).catch(({ name }) => console.log(name));
  requestIdleCallback(log('idle'));
  for (const priority of ['user-blocking', 'user-visible', 'background']) {
    const own = new TaskController({ priority }).signal;
    for (const options of [{ priority }, { signal: own }, { priority, signal: own }]) {
      scheduler.postTask(log(priority), options).catch(console.log);
    }
    scheduler.yield({ priority }).then(log('continuation'), console.log);
  }
  scheduler.postTask(log('raised'), { signal }).catch(console.log);
  scheduler.yield({ signal }).then(log('continuation of the signal'), console.log);
  signal.onprioritychange = ({ bubbles, cancelable, composed }) => {
    console.log(bubbles, cancelable, composed);
  };
  controller.setPriority('user-visible');
  console.log(signal.priority, dependent.priority);
  const task = new SharedTask(async () => {
    await scheduler.yield();
    return 'result';
  }, { __proto__: null });
  const first = task.join({ __proto__: null, priority: 'background' });
  const other = new AbortController();
  const left = task.join({ __proto__: null, signal: other.signal }).catch(({ name }) => name);
  console.log(task.priority, task.joined);
  other.abort();
  console.log(await left, task.joined, await first, task.isRunning);
}

// Names of members of the package's objects, without those that Node itself assigns to.
const MEMBERS = ['queue', 'state', 'states', 'resolve', 'reject', 'abortSource', 'isUnused',
  'prioritySource', 'operation', 'idle', 'late', 'request', 'run', 'shared', 'joined', 'asker',
  'client', 'followers', 'promise', 'isOver', 'isAborted', 'abortWhenUnused', 'user-blocking',
  'user-visible', 'background', 'followed'];

// The properties of the prototype: their names, the attributes of each, and whether the package is
// loaded before, as Node cannot load modules then.
const POLLUTIONS = {
  'with the name of a priority or of an option of events': [
    ['user-blocking', 'user-visible', 'background', 'followed', 'bubbles', 'cancelable', 'composed',
      'source', 'isFixed'],
    "writable: true, enumerable: true, value: 'x'",
  ],
  'that looks like an entry of a queue': [
    ['id', 'queue', 'previous', 'next', 'state', 'states', 'abortSource'],
    "writable: true, enumerable: true, value: { leave: () => console.log('left') }",
  ],
  'that cannot be shadowed by assignment': [MEMBERS, "enumerable: true, get: () => 'x'", true],
};

describe('a member of Object.prototype', () => {
  let expected;

  before(async () => {
    expected = await output(program);
    assert.equal(expected.length, 20);
  });

  for (const [which, [names, attributes, isLate]] of Object.entries(POLLUTIONS)) {
    it(`${which} changes nothing`, async () => {
      const main = `(root) => {
        globalThis.pollute = () => {
          for (const name of ${JSON.stringify(names)}) {
            Object.defineProperty(Object.prototype, name, { __proto__: null, configurable: true,
              ${attributes} });
          }
        };
        if (!${isLate}) pollute();
        (${program})(root);
      }`;
      assert.deepEqual(await output(main), expected);
    });
  }

  it('with the name of a property attribute lets the package be loaded @prototypes', async () => {
    const lines = await output((root) => {
      const names = ['get', 'set', 'writable', 'value', 'configurable', 'enumerable'];
      for (const name of names) {
        Object.defineProperty(Object.prototype, name, {
          __proto__: null,
          value: () => {},
          writable: true,
          configurable: true,
        });
      }
      const { Scheduler, scheduler } = require(root);
      require(`${root}/register.js`);
      for (const name of names) delete Object.prototype[name];
      const { enumerable } = Object.getOwnPropertyDescriptor(globalThis, 'Scheduler');
      console.log(globalThis.Scheduler === Scheduler, globalThis.scheduler === scheduler);
      console.log(enumerable);
    });
    assert.deepEqual(lines, ['true true', 'false']);
  });
});
