'use strict';

// The shape of the interfaces as Web IDL prescribes it: constructors, inheritance, the attributes
// of every property, names and lengths, and that every member checks its receiver. Also the
// attributes of a TaskPriorityChangeEvent.

const assert = require('node:assert/strict');
const { IdleDeadline, Scheduler, SharedTask, TaskController, TaskPriorityChangeEvent, TaskSignal,
  cancelIdleCallback, createScheduler, drain, monitorTasks, onIdle, pieces, requestIdleCallback,
  scheduler, shouldYield } = require('../..');
const { PRIORITIES, settled } = require('../helpers/tasks.js');

const INTERFACES = [
  { type: Scheduler, parent: Function.prototype, length: 0 },
  { type: TaskController, parent: AbortController, length: 0 },
  { type: TaskSignal, parent: AbortSignal, length: 0 },
  { type: TaskPriorityChangeEvent, parent: Event, length: 2 },
  { type: SharedTask, parent: Function.prototype, length: 1 },
  { type: IdleDeadline, parent: Function.prototype, length: 0 },
];

// The object that each operation is a property of, and the operation's length.
const OPERATIONS = [
  [Scheduler.prototype, 'postTask', 1],
  [Scheduler.prototype, 'yield', 0],
  [Scheduler.prototype, 'wait', 1],
  [TaskController.prototype, 'setPriority', 1],
  [TaskSignal, 'any', 1],
  [IdleDeadline.prototype, 'timeRemaining', 0],
];

// The object that each attribute is a property of, and whether it can be set.
const ATTRIBUTES = [
  [TaskSignal.prototype, 'priority', false],
  [TaskSignal.prototype, 'onprioritychange', true],
  [TaskPriorityChangeEvent.prototype, 'previousPriority', false],
  [SharedTask.prototype, 'join', false],
  [SharedTask.prototype, 'priority', false],
  [SharedTask.prototype, 'joined', false],
  [SharedTask.prototype, 'isRunning', false],
  [IdleDeadline.prototype, 'didTimeout', false],
];

const descriptorOf = Object.getOwnPropertyDescriptor;

function thrownBy(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  return assert.fail('it did not throw');
}

describe('an interface', () => {
  for (const { type, parent, length } of INTERFACES) {
    const { name } = type;

    describe(name, () => {
      it('is a class with the right parent, name and length', () => {
        assert.equal(Object.getPrototypeOf(type), parent);
        const parentPrototype = parent.prototype ?? Object.prototype;
        assert.equal(Object.getPrototypeOf(type.prototype), parentPrototype);
        assert.equal(type.length, length);
        const { writable, enumerable, configurable } = descriptorOf(type, 'prototype');
        assert.deepEqual([writable, enumerable, configurable], [false, false, false]);
        assert.equal(type.prototype.constructor, type);
        assert.equal(descriptorOf(type.prototype, 'constructor').enumerable, false);
      });

      it('has its Symbol.toStringTag', () => {
        assert.deepEqual(descriptorOf(type.prototype, Symbol.toStringTag), {
          value: name,
          writable: false,
          enumerable: false,
          configurable: true,
        });
      });

      it('cannot be called without `new`', () => {
        assert.throws(() => type('type', { previousPriority: 'background' }), TypeError);
      });
    });
  }

  it('is the class of its instances by instanceof', () => {
    const controller = new TaskController();
    const event = new TaskPriorityChangeEvent('type', { previousPriority: 'background' });
    const tags = [scheduler, createScheduler(), controller, controller.signal, event]
      .map((object) => Object.prototype.toString.call(object));
    const expected = ['Scheduler', 'Scheduler', 'TaskController', 'TaskSignal',
      'TaskPriorityChangeEvent'].map((name) => `[object ${name}]`);
    assert.deepEqual(tags, expected);
    assert.equal(scheduler.constructor, Scheduler);
    assert.equal(controller.signal.constructor, TaskSignal);
    assert.equal(TaskSignal.any([]).constructor, TaskSignal);
  });

  it('lists its members in a for-in loop', () => {
    const listed = (object) => {
      const keys = [];
      for (const key in object) keys.push(key);
      return keys;
    };
    const { signal } = new TaskController();
    const has = (object, ...names) => {
      for (const name of names) assert.ok(listed(object).includes(name), name);
    };
    has(scheduler, 'postTask', 'yield', 'wait');
    has(new TaskController(), 'setPriority');
    has(signal, 'priority', 'onprioritychange');
    has(TaskSignal, 'any');
    has(new TaskPriorityChangeEvent('type', { previousPriority: 'background' }),
      'previousPriority');
  });
});

describe('an operation', () => {
  for (const [holder, name, length] of OPERATIONS) {
    it(`has the right property attributes, name and length: ${name}`, () => {
      const { value, writable, enumerable, configurable } = descriptorOf(holder, name);
      assert.deepEqual([writable, enumerable, configurable], [true, true, true]);
      assert.equal(value.name, name);
      assert.equal(value.length, length);
    });

    it(`is not a constructor: ${name}`, () => {
      assert.throws(() => Reflect.construct(Object, [], holder[name]), TypeError);
    });
  }

  it('is not an own property of an instance', () => {
    assert.deepEqual(Object.getOwnPropertyNames(scheduler), []);
    assert.deepEqual(Object.getOwnPropertyNames(new TaskController()), []);
  });

  it('has the right name and length if it is a function of the package', () => {
    const functions = {
      requestIdleCallback, cancelIdleCallback, pieces, shouldYield, onIdle, drain,
    };
    for (const [name, value] of Object.entries(functions)) assert.equal(value.name, name);
    const lengths = Object.values(functions).map(({ length }) => length);
    assert.deepEqual(lengths, [1, 1, 1, 0, 0, 0]);
  });
});

describe('an attribute', () => {
  for (const [holder, name, isWritable] of ATTRIBUTES) {
    it(`is an accessor on the prototype: ${name}`, () => {
      const { get, set, enumerable, configurable } = descriptorOf(holder, name);
      assert.deepEqual([enumerable, configurable], [true, true]);
      assert.deepEqual([get.name, get.length], [`get ${name}`, 0]);
      if (isWritable) assert.deepEqual([set.name, set.length], [`set ${name}`, 1]);
      else assert.equal(set, undefined);
    });
  }

  it('ignores assignment if it is read-only', () => {
    const { signal } = new TaskController();
    assert.throws(() => (signal.priority = 'background'), TypeError);
    assert.equal(signal.priority, 'user-visible');
    const event = new TaskPriorityChangeEvent('type', { previousPriority: 'background' });
    assert.throws(() => (event.previousPriority = 'user-visible'), TypeError);
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
  const primitives = [undefined, null, 0, 'text', true, Symbol('mine'), 1n];
  const others = (good, prototype) => [
    ...primitives, {}, () => {}, prototype, Object.create(good), new Proxy(good, {}),
    Object.create(prototype),
  ];
  const getter = (prototype, name) => descriptorOf(prototype, name).get;
  const { set } = descriptorOf(TaskSignal.prototype, 'onprioritychange');

  for (const name of ['postTask', 'yield', 'wait']) {
    it(`rejects a promise with a TypeError: ${name}`, async () => {
      for (const receiver of others(scheduler, Scheduler.prototype)) {
        const promise = Scheduler.prototype[name].call(receiver, () => {});
        const [state, error] = await settled(promise);
        assert.equal(state, 'rejected');
        assert.ok(error instanceof TypeError);
        assert.equal(error.code, 'ERR_INVALID_THIS');
        assert.match(error.message, new RegExp(name));
        assert.match(error.message, /Scheduler/);
      }
    });

    it(`is reported before any other error: ${name}`, async () => {
      const options = {
        get priority() {
          return assert.fail('read');
        },
      };
      const [state, error] = await settled(Scheduler.prototype[name].call({}, options, options));
      assert.equal(state, 'rejected');
      assert.match(error.message, /Scheduler/);
      assert.match(error.message, /receiver|Illegal invocation/);
    });
  }

  const throwing = {
    'setPriority': [TaskController.prototype.setPriority, controller, TaskController],
    'priority': [getter(TaskSignal.prototype, 'priority'), controller.signal, TaskSignal],
    'onprioritychange': [getter(TaskSignal.prototype, 'onprioritychange'), controller.signal,
      TaskSignal],
    'onprioritychange, set': [set, controller.signal, TaskSignal],
    'previousPriority': [getter(TaskPriorityChangeEvent.prototype, 'previousPriority'), event,
      TaskPriorityChangeEvent],
  };
  for (const [name, [operation, good, type]] of Object.entries(throwing)) {
    it(`throws a TypeError that names the member: ${name}`, () => {
      const [member] = name.split(',');
      const parent = { TaskController: new AbortController(), TaskSignal: AbortSignal.abort(),
        TaskPriorityChangeEvent: new Event('type') }[type.name];
      for (const receiver of [...others(good, type.prototype), parent]) {
        const error = thrownBy(() => operation.call(receiver, 'background'));
        assert.ok(error instanceof TypeError);
        assert.equal(error.code, 'ERR_INVALID_THIS');
        assert.match(error.message, new RegExp(member));
        assert.match(error.message, new RegExp(type.name));
      }
    });
  }

  const monitor = monitorTasks();
  const { background } = monitor.priorities;
  const getters = (object, names) => names.map((name) => {
    return [name, getter(object.constructor.prototype, name)];
  });
  const throwers = [
    ...getters(new SharedTask(() => {}), ['join', 'priority', 'joined', 'isRunning']),
    ...getters(monitor, ['labels', 'longest', 'time']),
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
