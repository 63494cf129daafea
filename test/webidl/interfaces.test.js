'use strict';

// The shape of the interfaces as Web IDL prescribes it: constructors, inheritance, the attributes
// of every property, names and lengths, and that every member checks its receiver. Also the
// attributes of a TaskPriorityChangeEvent.

const assert = require('node:assert/strict');
const { IdleDeadline, Scheduler, SharedTask, TaskController, TaskPriorityChangeEvent, TaskSignal,
  cancelIdleCallback, createScheduler, drain, monitorTasks, onIdle, pieces, requestIdleCallback,
  scheduler, shouldYield } = require('../..');
const { PRIORITIES } = require('../helpers/tasks.js');

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
    };
    for (const [name, value] of Object.entries(functions)) assert.equal(value.name, name);
    const lengths = Object.values(functions).map(({ length }) => length);
    assert.deepEqual(lengths, [1, 1, 1, 0, 0, 0]);
  });
});

describe('a read-only attribute', () => {
  it('keeps its value when something is assigned', () => {
    const { signal } = new TaskController();
    assert.throws(() => (signal.priority = 'background'), TypeError);
    assert.equal(signal.priority, 'user-visible');
  });
});

describe('an illegal constructor', () => {
  class SubScheduler extends Scheduler {}
  class SubSignal extends TaskSignal {}
  const calls = {
    'new Scheduler()': () => new Scheduler(),
    'new TaskSignal()': () => new TaskSignal(),
    'new IdleDeadline()': () => new IdleDeadline(),
    'new Scheduler(scheduler)': () => new Scheduler(scheduler),
    'new TaskSignal(signal)': () => new TaskSignal(new AbortController().signal),
    'a subclass of Scheduler': () => new SubScheduler(),
    'a subclass of TaskSignal': () => new SubSignal(),
    'Reflect.construct of TaskSignal': () => Reflect.construct(TaskSignal, [], AbortSignal),
  };
  // Where the objects come from.
  const sources = [[/Scheduler/, /\bcreateScheduler\(\)/], [/TaskSignal/, /\bTaskController\b/]];
  for (const [name, call] of Object.entries(calls)) {
    it(`throws a TypeError that says what to do instead: ${name}`, () => {
      const message = /^Illegal constructor/;
      assert.throws(call, { name: 'TypeError', code: 'ERR_ILLEGAL_CONSTRUCTOR', message });
      for (const [type, source] of sources) {
        if (type.test(name)) assert.throws(call, { message: source });
      }
    });
  }
});

describe('an illegal receiver', () => {
  const controller = new TaskController();
  const event = new TaskPriorityChangeEvent('type', { previousPriority: 'background' });
  const others = (good, { prototype }) => [
    undefined, null, 0, 'text', Symbol('mine'), {}, () => {}, prototype, Object.create(good),
    new Proxy(good, {}), Object.create(prototype),
  ];
  const getter = (prototype, name) => descriptorOf(prototype, name).get;
  const { set } = descriptorOf(TaskSignal.prototype, 'onprioritychange');

  for (const name of ['postTask', 'yield', 'wait']) {
    it(`rejects a promise with a TypeError, before any other error: ${name}`, async () => {
      const options = { get priority() { return assert.fail('read'); } };
      for (const receiver of others(scheduler, Scheduler)) {
        const promise = Scheduler.prototype[name].call(receiver, options, options);
        const expected = { name: 'TypeError', code: 'ERR_INVALID_THIS' };
        await assert.rejects(promise, { ...expected, message: new RegExp(`${name}.*Scheduler`) });
      }
    });
  }

  const throwing = [
    ['setPriority', TaskController.prototype.setPriority, controller, new AbortController()],
    ['priority', getter(TaskSignal.prototype, 'priority'), controller.signal, AbortSignal.abort()],
    ['onprioritychange', getter(TaskSignal.prototype, 'onprioritychange'), controller.signal,
      AbortSignal.abort()],
    ['onprioritychange', set, controller.signal, AbortSignal.abort()],
    ['previousPriority', getter(TaskPriorityChangeEvent.prototype, 'previousPriority'), event,
      new Event('type')],
  ];
  it('throws a TypeError that names the member and the class', () => {
    for (const [name, operation, good, ofParent] of throwing) {
      const { constructor: type } = good;
      for (const receiver of [...others(good, type), ofParent]) {
        const expected = { name: 'TypeError', code: 'ERR_INVALID_THIS' };
        for (const text of [name, type.name]) {
          assert.throws(() => operation.call(receiver, 'background'),
            { ...expected, message: new RegExp(text) });
        }
      }
    }
  });

  const monitor = monitorTasks();
  const { background } = monitor.priorities;
  const getters = (object, names) => names.map((name) => {
    return [name, getter(object.constructor.prototype, name)];
  });
  const throwers = [
    ...getters(new SharedTask(() => {}), ['join', 'priority', 'joined', 'isRunning']),
    ...getters(monitor, ['labels', 'longest', 'time', 'heldTime', 'heldFor']),
    ...getters(background, ['queued', 'oldest', 'running', 'completed', 'failed', 'aborted']),
    ...getters(background.wait, ['count', 'sum', 'min', 'max', 'mean', 'buckets']),
    ...['enable', 'disable', 'reset', 'utilization', 'toJSON', Symbol.dispose].map((name) => {
      return [String(name), monitor[name]];
    }),
    ['percentile', background.wait.percentile],
  ];
  for (const [name, operation] of throwers) {
    it(`throws a TypeError: ${name}`, () => {
      for (const receiver of [{}, { disable() {} }]) {
        const expected = { name: 'TypeError', code: 'ERR_INVALID_THIS' };
        assert.throws(() => operation.call(receiver, 99), expected);
      }
    });
  }

  it('is never the receiver of a static operation', () => {
    for (const receiver of [undefined, null, {}, AbortSignal]) {
      assert.ok(TaskSignal.any.call(receiver, []) instanceof TaskSignal);
    }
  });

  it('is not a receiver of the right class, however the member is called', async () => {
    const { postTask } = scheduler;
    assert.equal(await postTask.call(createScheduler(), () => 'ran'), 'ran');
    TaskController.prototype.setPriority.call(controller, 'background');
    assert.equal(getter(TaskSignal.prototype, 'priority').call(controller.signal), 'background');
  });
});

describe('TaskPriorityChangeEvent', () => {
  it('is an Event with a previousPriority', () => {
    for (const previousPriority of PRIORITIES) {
      const event = new TaskPriorityChangeEvent('mine', { previousPriority });
      assert.ok(event instanceof Event);
      assert.equal(event.type, 'mine');
      assert.equal(event.previousPriority, previousPriority);
      const { bubbles, cancelable, composed, defaultPrevented } = event;
      assert.deepEqual([bubbles, cancelable, composed, defaultPrevented], Array(4).fill(false));
    }
  });

  it('accepts the options of every event', () => {
    const init = { previousPriority: 'background', cancelable: true, bubbles: true };
    const event = new TaskPriorityChangeEvent('mine', init);
    assert.deepEqual([event.cancelable, event.bubbles], [true, true]);
    event.preventDefault();
    assert.equal(event.defaultPrevented, true);
  });

  it('converts its type to a string', () => {
    const init = { previousPriority: 'background' };
    assert.equal(new TaskPriorityChangeEvent(1, init).type, '1');
    assert.equal(new TaskPriorityChangeEvent(undefined, init).type, 'undefined');
    assert.equal(new TaskPriorityChangeEvent({ toString: () => 'mine' }, init).type, 'mine');
  });

  it('can be dispatched', () => {
    const { signal } = new TaskController();
    const seen = [];
    signal.onprioritychange = (event) => seen.push(event.previousPriority);
    const init = { previousPriority: 'background' };
    signal.dispatchEvent(new TaskPriorityChangeEvent('prioritychange', init));
    assert.deepEqual(seen, ['background']);
    assert.equal(signal.priority, 'user-visible');
  });
});
