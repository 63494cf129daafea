'use strict';

// Signals of TaskSignal.any() that follow the priority of another: their priority and tasks follow
// even after an abort, and the events are fired in a fixed order. gc.test.js tests how long they
// live.

const assert = require('node:assert/strict');
const { TaskController, scheduler } = require('../..');
const { PRIORITIES, follow, logChanges, settled } = require('../helpers/tasks.js');

describe('a signal with the priority of another', () => {
  it('has its priority and follows its changes', () => {
    const controller = new TaskController({ priority: 'background' });
    const signal = follow(controller.signal);
    assert.equal(signal.priority, 'background');
    const log = logChanges({ signal });
    controller.setPriority('user-visible');
    controller.setPriority('user-visible');
    controller.setPriority('user-blocking');
    const expected = [
      'signal: background → user-visible',
      'signal: user-visible → user-blocking',
    ];
    assert.deepEqual(log, expected);
  });

  it('moves its tasks and continuations when its source changes', async () => {
    const controller = new TaskController({ priority: 'background' });
    const source = controller.signal;
    const signal = follow(source);
    const log = [];
    const all = [
      scheduler.postTask(() => log.push('blocking'), { priority: 'user-blocking' }),
      scheduler.postTask(() => log.push('follower'), { signal }),
      scheduler.postTask(() => log.push('source'), { signal: source }),
      scheduler.yield({ signal }).then(() => log.push('continuation')),
      scheduler.postTask(() => log.push('follower 2'), { signal }),
    ];
    controller.setPriority('user-blocking');
    await Promise.all(all);
    const expected = ['continuation', 'blocking', 'follower', 'source', 'follower 2'];
    assert.deepEqual(log, expected);
  });

  it('follows through a dependent signal to its source', () => {
    const controller = new TaskController();
    const source = controller.signal;
    const first = follow(source);
    const second = follow(first);
    const third = follow(second);
    const log = logChanges({ third, second, first, source });
    controller.setPriority('background');
    const expected = ['source', 'first', 'second', 'third'].map((name) => {
      return `${name}: user-visible → background`;
    });
    assert.deepEqual(log, expected);
  });

  it('still follows when it is aborted, also from the start', () => {
    const controller = new TaskController();
    const aborting = new AbortController();
    const signals = {
      later: follow(controller.signal, [aborting.signal]),
      before: follow(controller.signal, [AbortSignal.abort()]),
    };
    aborting.abort();
    assert.ok(signals.later.aborted && signals.before.aborted);
    const log = logChanges(signals);
    controller.setPriority('background');
    const expected = ['later', 'before'].map((name) => `${name}: user-visible → background`);
    assert.deepEqual(log, expected);
  });

  it('still follows when its source is aborted', () => {
    const controller = new TaskController();
    const signals = { before: follow(controller.signal) };
    controller.abort();
    signals.after = follow(controller.signal);
    const log = logChanges(signals);
    controller.setPriority('background');
    const expected = ['before', 'after'].map((name) => `${name}: user-visible → background`);
    assert.deepEqual(log, expected);
  });

  it('can also be aborted by the signal that it follows', async () => {
    const controller = new TaskController({ priority: 'background' });
    const signal = follow(controller.signal, [controller.signal]);
    const task = scheduler.postTask(() => {}, { signal });
    controller.abort('both');
    assert.deepEqual(await settled(task), ['rejected', 'both']);
  });
});

describe('a priority change reaches dependent signals', () => {
  it('in the order they were created, after the source', () => {
    const controller = new TaskController();
    const source = controller.signal;
    const signals = {};
    for (let each = 0; each < 20; each++) signals[`s${each}`] = follow(source);
    const log = logChanges({ ...signals, source });
    controller.setPriority('background');
    const expected = ['source', ...Object.keys(signals)].map((name) => {
      return `${name}: user-visible → background`;
    });
    assert.deepEqual(log, expected);
  });

  it('in the order they were created, also if one follows another', () => {
    const controller = new TaskController();
    const source = controller.signal;
    const first = follow(source);
    const second = follow(source);
    const log = logChanges({ third: follow(first), second, first });
    controller.setPriority('background');
    const expected = ['first', 'second', 'third'].map((name) => {
      return `${name}: user-visible → background`;
    });
    assert.deepEqual(log, expected);
  });

  it('one after the other: each has its old priority until its turn', () => {
    const controller = new TaskController();
    const source = controller.signal;
    const [a, b] = [follow(source), follow(source)];
    const log = [];
    for (const signal of [source, a, b]) {
      signal.onprioritychange = () => log.push([source, a, b].map((each) => each.priority));
    }
    controller.setPriority('background');
    assert.deepEqual(log, [
      ['background', 'user-visible', 'user-visible'],
      ['background', 'background', 'user-visible'],
      ['background', 'background', 'background'],
    ]);
  });

  it('but fires no event on one that is created during the event', () => {
    const controller = new TaskController();
    const source = controller.signal;
    const early = follow(source);
    const log = [];
    const made = [];
    const make = () => {
      const signal = follow(source);
      assert.equal(signal.priority, 'background');
      signal.onprioritychange = (event) => log.push(event.previousPriority);
      made.push(signal);
    };
    source.addEventListener('prioritychange', make, { once: true });
    early.addEventListener('prioritychange', make, { once: true });
    controller.setPriority('background');
    assert.equal(made.length, 2);
    assert.deepEqual(log, []);
    controller.setPriority('user-blocking');
    assert.deepEqual(log, ['background', 'background']);
  });

  it('but gives one that is created during the event the new priority at once', () => {
    const controller = new TaskController({ priority: 'background' });
    const source = controller.signal;
    const early = follow(source);
    let late;
    // `early` still has its old priority.
    source.addEventListener('prioritychange', () => (late = follow(early)), { once: true });
    controller.setPriority('user-blocking');
    assert.deepEqual([early.priority, late.priority], ['user-blocking', 'user-blocking']);
    const log = logChanges({ late });
    controller.setPriority('background');
    assert.deepEqual(log, ['late: user-blocking → background']);
  });

  it('and, from the next change on, one that is created in the event of a dependent', () => {
    const controller = new TaskController();
    const dependent = follow(controller.signal);
    let late;
    dependent.onprioritychange = () => (late ??= follow(dependent));
    controller.setPriority('background');
    assert.equal(late.priority, 'background');
    const log = logChanges({ late });
    controller.setPriority('user-blocking');
    assert.deepEqual(log, ['late: background → user-blocking']);
  });

  it('while the change of the source is under way', () => {
    const controller = new TaskController();
    const source = controller.signal;
    const dependents = [follow(source), follow(source)];
    const errors = [];
    for (const signal of dependents) {
      signal.onprioritychange = () => {
        try {
          controller.setPriority('user-blocking');
        } catch (error) {
          errors.push(error.name);
        }
      };
    }
    controller.setPriority('background');
    assert.deepEqual(errors, ['NotAllowedError', 'NotAllowedError']);
    assert.deepEqual(dependents.map((each) => each.priority), ['background', 'background']);
    controller.setPriority('user-visible');
    assert.deepEqual(dependents.map((each) => each.priority), ['user-visible', 'user-visible']);
  });
});

describe('a priority change is completed', () => {
  const fail = (error) => () => {
    throw error;
  };

  it('for every dependent before the first error of `dispatchEvent` is thrown', () => {
    const controller = new TaskController({ priority: 'background' });
    const source = controller.signal;
    const signals = [source, follow(source), follow(source), follow(source)];
    const [first, second] = [new Error('first'), new Error('second')];
    for (const priority of ['user-visible', 'user-blocking', 'background']) {
      for (const [one, other] of [[0, 1], [1, 2], [2, 3], [0, 3]]) {
        controller.setPriority(PRIORITIES.find((each) => {
          return each !== priority && each !== source.priority;
        }));
        const log = logChanges(signals);
        signals[one].dispatchEvent = fail(first);
        signals[other].dispatchEvent = fail(second);
        assert.throws(() => controller.setPriority(priority), first);
        delete signals[one].dispatchEvent;
        delete signals[other].dispatchEvent;
        assert.deepEqual(signals.map((each) => each.priority), Array(4).fill(priority));
        assert.equal(log.length, 2);
      }
    }
  });

  it('for the tasks of every dependent if `dispatchEvent` of the source throws', async () => {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const dependent = follow(signal);
    const log = [];
    const tasks = [
      scheduler.postTask(() => log.push('visible')),
      scheduler.postTask(() => log.push('dependent'), { signal: dependent }),
    ];
    signal.dispatchEvent = fail(new Error('mine'));
    assert.throws(() => controller.setPriority('user-blocking'), { message: 'mine' });
    await Promise.all(tasks);
    assert.deepEqual(log, ['dependent', 'visible']);
  });
});
