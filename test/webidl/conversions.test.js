'use strict';

// Arguments that the API accepts: which objects may be options, and how delays and priorities are
// converted. arguments.test.js tests what is refused, and how options are read.

const assert = require('node:assert/strict');
const {
  TaskController, TaskPriorityChangeEvent, TaskSignal, cancelIdleCallback, requestIdleCallback,
  scheduler,
} = require('../..');
const { PRIORITIES, TASK, priorityOfTask } = require('../helpers/tasks.js');
const { createTestScheduler } = require('uv-scheduler/testing');

const nothing = () => {};

describe('options', () => {
  it('of an event are read once each, those of every event first', () => {
    const log = [];
    const init = new Proxy({ previousPriority: 'background', bubbles: true }, {
      get(target, key) {
        log.push(key);
        return target[key];
      },
    });
    new TaskPriorityChangeEvent('type', init);
    assert.deepEqual([...log].sort(), [...new Set(log)].sort());
    assert.equal(log.at(-1), 'previousPriority');
  });

  it('of an event may be members of a function, and its type anything', () => {
    const init = Object.assign(() => {}, { previousPriority: 'background', cancelable: true });
    const event = new TaskPriorityChangeEvent({ toString: () => 'mine' }, init);
    assert.deepEqual([event.type, event.previousPriority], ['mine', 'background']);
    assert.deepEqual([event.cancelable, event.bubbles, event.composed], [true, false, false]);
    event.preventDefault();
    assert.equal(event.defaultPrevented, true);
    assert.equal(new TaskPriorityChangeEvent(undefined, init).type, 'undefined');
  });

  const { signal: background } = new TaskController({ priority: 'background' });
  for (const [name, options] of [['undefined', undefined], ['null', null], ['{}', {}],
    ['a function', () => {}], ['an array', []], ['a class instance', new Date()],
    ['an object without prototype', Object.create(null)],
    ['inherited ones', Object.create({ priority: 'user-visible', delay: 0 })],
    ['undefined members', { delay: undefined, maxWait: undefined, priority: undefined,
      ref: undefined, signal: undefined }]]) {
    it(`may be ${name}`, async () => {
      assert.equal(await scheduler.postTask(() => 'ran', options), 'ran');
      assert.equal(await scheduler.yield(options), undefined);
      assert.equal(await scheduler.wait(0, options), undefined);
      assert.equal(new TaskController(options).signal.priority, 'user-visible');
      assert.equal(TaskSignal.any([background], options).priority, 'user-visible');
      cancelIdleCallback(requestIdleCallback(nothing, options));
    });
  }

  it('may be inherited, or members of a function', async () => {
    const all = [Object.create({ priority: 'background' }),
      Object.assign(() => {}, { priority: 'background' })];
    for (const options of all) assert.equal(await priorityOfTask(options), TASK.background);
  });
});

describe('a delay', () => {
  // By its length in ms: what converts to it.
  const LENGTHS = {
    0: [0, -0, 0.9, -0.5, -0.9999, '', ' ', '0', '-0.5', null, false, [], [0], undefined,
      { valueOf: () => 0.5 }, new Date(0), Number.MIN_VALUE],
    1: [1, 1.9, '1', ' 1.5 ', '0x1', '1e0', true, [1], ['1'], { valueOf: () => 1 },
      { toString: () => '1' }, new Date(1), Object(1)],
    120: ['120', { valueOf: () => 120.9 }, new Date(120), ['120']],
  };
  for (const [length, delays] of Object.entries(LENGTHS)) {
    it(`has the length of the converted number: ${length}`, async () => {
      const test = createTestScheduler();
      const times = [];
      for (const delay of delays) scheduler.postTask(() => times.push(test.now), { delay });
      await test.runAll();
      test.stop();
      assert.deepEqual(times, delays.map(() => Number(length)));
    });
  }
});

describe('a priority', () => {
  it('can be anything that converts to one of the values', async () => {
    for (const priority of PRIORITIES) {
      for (const value of [{ toString: () => priority }, [priority], Object(priority),
        { [Symbol.toPrimitive]: () => priority }]) {
        assert.equal(await priorityOfTask({ priority: value }), TASK[priority]);
        assert.equal(new TaskController({ priority: value }).signal.priority, priority);
        assert.equal(TaskSignal.any([], { priority: value }).priority, priority);
        const controller = new TaskController();
        controller.setPriority(value);
        assert.equal(controller.signal.priority, priority);
        const event = new TaskPriorityChangeEvent('type', { previousPriority: value });
        assert.equal(event.previousPriority, priority);
        await scheduler.yield({ priority: value });
      }
    }
  });

  it('can be `inherit` for yield(), as can its signal', async () => {
    await scheduler.yield({ priority: { toString: () => 'inherit' } });
    await scheduler.yield({ signal: { toString: () => 'inherit' } });
    await scheduler.yield({ signal: ['inherit'] });
  });
});
