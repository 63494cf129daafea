'use strict';

// The output of `console.log` and `util.inspect` for the interfaces, in the style of Node's own
// classes.

const assert = require('node:assert/strict');
const { inspect } = require('node:util');
const {
  SharedTask, TaskController, TaskPriorityChangeEvent, TaskSignal, scheduler,
} = require('../..');

describe('util.inspect shows', () => {
  const controller = new TaskController({ priority: 'background' });
  const { signal } = controller;
  const event = new TaskPriorityChangeEvent('prioritychange', { previousPriority: 'background' });

  const aborted = TaskSignal.any([AbortSignal.abort()], { priority: 'user-blocking' });
  for (const [title, value, text] of [
    ['the priority of a TaskSignal @inspect-of-signals', signal,
      "TaskSignal { aborted: false, priority: 'background' }"],
    ['whether a TaskSignal is aborted @inspect-of-signals', aborted,
      "TaskSignal { aborted: true, priority: 'user-blocking' }"],
    ['the signal of a TaskController @inspect', controller,
      "TaskController { signal: TaskSignal { aborted: false, priority: 'background' } }"],
    ['the name of a Scheduler', scheduler, 'Scheduler {}'],
  ]) {
    it(title, () => assert.equal(inspect(value, { breakLength: Infinity }), text));
  }

  it('the previous priority of an event, besides what every event shows @inspect', () => {
    const shown = inspect(event);
    assert.match(shown, /^TaskPriorityChangeEvent \{\s+type: 'prioritychange',/);
    assert.match(shown, /previousPriority: 'background'/);
    const plain = inspect(new Event('prioritychange'));
    const members = (text) => text.match(/\w+(?=:)/g);
    assert.deepEqual(members(shown), [...members(plain), 'previousPriority']);
  });

  it('how many join a SharedTask, with which priority, and whether it runs', async () => {
    const task = new SharedTask(() => {});
    assert.equal(inspect(task),
      "SharedTask { priority: 'background', joined: 0, isRunning: false }");
    const joins = [task.join({ priority: 'user-blocking' }), task.join()];
    assert.equal(inspect(task),
      "SharedTask { priority: 'user-blocking', joined: 2, isRunning: true }");
    await Promise.all(joins);
  });

  it('the name of a subclass @inspect', () => {
    class Mine extends TaskController {}
    class MyEvent extends TaskPriorityChangeEvent {}
    assert.match(inspect(new Mine()), /^Mine \{ signal: TaskSignal \{/);
    assert.match(inspect(new MyEvent('type', event)), /^MyEvent \{/);
  });

  it('no more than its options allow, as with Node\'s own classes @inspect-of-signals', () => {
    const { signal: plain } = new AbortController();
    for (const [mine, nodes, depth] of [
      [{ each: signal }, { each: plain }, -1], [{ each: signal }, { each: plain }, 0],
      [signal, plain, -1],
    ]) {
      const shown = inspect(mine, { depth });
      assert.equal(shown.replace('TaskSignal', 'AbortSignal'), inspect(nodes, { depth }));
    }
    assert.equal(inspect(event, { depth: -1 }), '[TaskPriorityChangeEvent]');
    assert.equal(inspect(signal, { colors: true }),
      "TaskSignal { aborted: \u001b[33mfalse\u001b[39m, " +
        "priority: \u001b[32m'background'\u001b[39m }");
  });

  it('prototypes, and objects that only inherit from them @inspect-of-signals', () => {
    for (const type of [TaskSignal, TaskPriorityChangeEvent, SharedTask]) {
      assert.match(inspect(type.prototype), new RegExp(type.name));
      assert.match(inspect(Object.create(type.prototype)), new RegExp(type.name));
    }
  });
});
