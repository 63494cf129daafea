'use strict';

// The shape of the interfaces as Web IDL prescribes it: constructors, inheritance, the attributes
// of every property, names and lengths, and that every member checks its receiver.

const assert = require('node:assert/strict');
const { inspect } = require('node:util');
const {
  IdleDeadline, Scheduler, SharedTask, TaskController, TaskPriorityChangeEvent, TaskSignal,
  cancelIdleCallback, createScheduler, drain, onIdle, pieces, requestIdleCallback, scheduler,
  shouldYield,
} = require('../..');
const { monitorTasks, reportSlowTasks, traceTasks } = require('uv-scheduler/watch');

// Each interface with its parent and length, and its members: the lengths of its operations, and of
// its attributes whether they can be set.
const INTERFACES = [
  { type: Scheduler, parent: Function.prototype, length: 0,
    operations: { postTask: 1, yield: 0, wait: 1 } },
  { type: TaskController, parent: AbortController, length: 0, operations: { setPriority: 1 } },
  { type: TaskSignal, parent: AbortSignal, length: 0, statics: { any: 1 },
    attributes: { priority: false, onprioritychange: true } },
  { type: TaskPriorityChangeEvent, parent: Event, length: 2,
    attributes: { previousPriority: false } },
  { type: SharedTask, parent: Function.prototype, length: 1,
    attributes: { join: false, priority: false, joined: false, isRunning: false } },
  { type: IdleDeadline, parent: Function.prototype, length: 0,
    operations: { timeRemaining: 0 }, attributes: { didTimeout: false } },
];

const descriptorOf = Object.getOwnPropertyDescriptor;

const attributesOf = (descriptor) => {
  const { writable, enumerable, configurable } = descriptor;
  return { writable, enumerable, configurable };
};

function assertOperations(holder, operations = {}) {
  for (const [name, length] of Object.entries(operations)) {
    const descriptor = descriptorOf(holder, name);
    const { value } = descriptor;
    assert.deepEqual(attributesOf(descriptor),
      { writable: true, enumerable: true, configurable: true });
    assert.deepEqual([value.name, value.length], [name, length]);
    assert.throws(() => Reflect.construct(Object, [], value), TypeError);
  }
}

describe('an interface', () => {
  for (const each of INTERFACES) {
    const { type, parent, length, operations, statics, attributes = {} } = each;
    const { name, prototype } = type;

    it(`has the right parent, length and members: ${name}`, () => {
      assert.equal(Object.getPrototypeOf(type), parent);
      assert.equal(Object.getPrototypeOf(prototype), parent.prototype ?? Object.prototype);
      assert.equal(type.length, length);
      assert.deepEqual(attributesOf(descriptorOf(type, 'prototype')),
        { writable: false, enumerable: false, configurable: false });
      assert.equal(prototype.constructor, type);
      assert.equal(descriptorOf(prototype, 'constructor').enumerable, false);
      assert.deepEqual(descriptorOf(prototype, Symbol.toStringTag),
        { value: name, writable: false, enumerable: false, configurable: true });
      assert.throws(() => type('type', { previousPriority: 'background' }), TypeError);
      assertOperations(prototype, operations);
      assertOperations(type, statics);
      for (const [attribute, isWritable] of Object.entries(attributes)) {
        const { get, set, enumerable, configurable } = descriptorOf(prototype, attribute);
        assert.deepEqual([enumerable, configurable], [true, true]);
        assert.deepEqual([get.name, get.length], [`get ${attribute}`, 0]);
        assert.deepEqual(set && [set.name, set.length], isWritable ? [`set ${attribute}`, 1] : set);
        assert.equal(set !== undefined, isWritable);
      }
    });
  }

  it('is the class of its instances, which have no own properties', () => {
    const { signal } = new TaskController();
    assert.equal(scheduler.constructor, Scheduler);
    assert.equal(createScheduler().constructor, Scheduler);
    assert.equal(signal.constructor, TaskSignal);
    assert.equal(TaskSignal.any([]).constructor, TaskSignal);
    assert.deepEqual(Object.getOwnPropertyNames(scheduler), []);
    assert.deepEqual(Object.getOwnPropertyNames(new TaskController()), []);
  });
});

describe('a function of the package', () => {
  it('has the right name and length', () => {
    const functions = {
      requestIdleCallback, cancelIdleCallback, pieces, shouldYield, onIdle, drain,
      monitorTasks, reportSlowTasks, traceTasks,
    };
    for (const [name, value] of Object.entries(functions)) assert.equal(value.name, name);
    const lengths = Object.values(functions).map(({ length }) => length);
    assert.deepEqual(lengths, [1, 1, 1, 0, 0, 0, 0, 1, 1]);
  });
});

describe('an illegal constructor', () => {
  // Each says where the objects come from.
  for (const [type, source] of [
    [Scheduler, /\bcreateScheduler\(\)/], [TaskSignal, /\bTaskController\b/], [IdleDeadline, /./],
  ]) {
    it(`throws a TypeError that says what to do instead: ${type.name}`, () => {
      class Sub extends type {}
      for (const call of [
        () => new type(), () => new type(scheduler), () => new type(AbortSignal.abort()),
        () => new Sub(), () => Reflect.construct(type, [], AbortSignal),
      ]) {
        const expected = { name: 'TypeError', code: 'ERR_ILLEGAL_CONSTRUCTOR' };
        assert.throws(call, { ...expected, message: /^Illegal constructor/ });
        assert.throws(call, { message: source });
      }
    });
  }
});

describe('an illegal receiver', () => {
  const monitor = monitorTasks();
  const controller = new TaskController();
  const { background } = monitor.priorities;
  const OBJECTS = [
    scheduler, controller, controller.signal, new SharedTask(() => {}), monitor, background,
    background.wait, new TaskPriorityChangeEvent('type', { previousPriority: 'background' }),
  ];
  const OF_PARENTS = [new AbortController(), AbortSignal.abort(), new Event('type')];
  const options = { get priority() { return assert.fail('read'); } };

  // The functions behind the members of a class. These are Node's.
  const OF_NODE = [inspect.custom, 'addEventListener', 'constructor', 'removeEventListener'];
  const functionsOf = ({ constructor: { prototype } }) => Reflect.ownKeys(prototype)
    .filter((name) => !OF_NODE.includes(name))
    .flatMap((name) => Object.values(descriptorOf(prototype, name))
      .filter((value) => typeof value === 'function')
      .map((value) => [/\w+/.exec(String(name))[0], value]));

  it('causes a TypeError that names the member and the class', async () => {
    const deadline = await new Promise((resolve) => requestIdleCallback(resolve));
    for (const good of [...OBJECTS, deadline]) {
      const { constructor: { name, prototype } } = good;
      const receivers = [
        undefined, null, 0, 'text', Symbol('mine'), {}, () => {}, { disable() {} }, prototype,
        Object.create(good), new Proxy(good, {}), Object.create(prototype), ...OF_PARENTS,
      ];
      for (const [member, operation] of functionsOf(good)) {
        for (const receiver of receivers) {
          // Those of a scheduler reject, before any other error.
          const call = () => operation.call(receiver, options, options);
          const isRejected = good === scheduler;
          await assert[isRejected ? 'rejects' : 'throws'](isRejected ? call() : call, {
            name: 'TypeError', code: 'ERR_INVALID_THIS',
            // A bundler may have renamed the class.
            message: new RegExp(`${member}.*${name.replace(/^_/, '')}`),
          });
        }
      }
    }
  });

  it('is never the receiver of a static operation', () => {
    for (const receiver of [undefined, null, {}, AbortSignal]) {
      assert.ok(TaskSignal.any.call(receiver, []) instanceof TaskSignal);
    }
  });
});
