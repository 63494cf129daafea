'use strict';

// The diagnostics channels of tasks: what is in their messages. ../loop/random-programs.test.js
// tests which messages there are, and in which order, channels-subscribers.test.js what subscribers
// may do.
// @host portable

const assert = require('node:assert/strict');
const { stat } = require('node:fs/promises');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { TaskController, scheduler } = require('../..');
const { settled } = require('../helpers/tasks.js');
const { assertConsistent, record, separateTests } = require('../helpers/watch.js');

const nothing = () => {};
const reason = new Error('the reason');
const fail = () => { throw reason; };

// Aborts its own task in a later turn, and then calls `end`.
const abortsLater = (end) => async (controller) => {
  await turn();
  controller.abort(reason);
  return end(controller);
};

const hostile = { get code() { throw new Error('code'); } };

// By what the callback of a task does: the kind of the task, and the callback.
const CALLBACKS = {
  'returns': ['completed', () => 'value'],
  'throws': ['failed', fail],
  'returns a promise that is rejected': ['failed', () => turn().then(fail)],
  'returns a thenable that throws': ['failed', () => ({ then: fail })],
  'aborts it': ['aborted inside', (controller) => controller.abort(reason)],
  'passes on the reason of its own signal':
    ['aborted behind', abortsLater(({ signal }) => signal.throwIfAborted())],
  'passes on an error of Node whose cause is that reason':
    ['aborted behind', abortsLater(({ signal }) => sleep(1e6, undefined, { signal }))],
  'fails for a reason of its own behind the abort':
    ['failed', abortsLater(() => Promise.reject(new Error('own', { cause: reason })))],
  'fails with what has a hostile code behind the abort':
    ['failed', abortsLater(() => Promise.reject(hostile))],
  'fails with null behind the abort': ['failed', abortsLater(() => Promise.reject(null))],
};

describe('the messages about a task', () => {
  separateTests();

  for (const [what, [kind, callback]] of Object.entries(CALLBACKS)) {
    it(`are those of one that is ${kind} if its callback ${what}`, async () => {
      for (const hasSignal of callback.length === 0 ? [false, true] : [true]) {
        const recorder = record();
        const controller = new TaskController();
        const options = { label: 'task', ...hasSignal && { signal: controller.signal } };
        const task = scheduler.postTask(() => callback(controller), options);
        const [how, value] = await settled(task);
        assertConsistent(recorder, { task: kind });
        const { result, error } = recorder.message('task');
        const isFulfilled = how === 'fulfilled';
        assert.equal(isFulfilled, kind === 'completed');
        assert.deepEqual([result, error], isFulfilled ? [value, undefined] : [undefined, value]);
        recorder.end();
      }
    });
  }

  it('have the reason if it is aborted while it waits', async () => {
    const recorder = record();
    const controller = new TaskController();
    const { signal } = controller;
    const tasks = [0, 1000].map((delay) => scheduler.postTask(assert.fail, { delay, signal }));
    controller.abort(reason);
    await Promise.allSettled(tasks);
    assert.equal(recorder.messages.length, 2);
    for (const { error, startedAt, endedAt } of recorder.messages) {
      assert.deepEqual([error, startedAt, endedAt], [reason, undefined, undefined]);
    }
  });

  it('are one object, with the same members from the start on', async () => {
    const shapes = new Set();
    const recorder = record((event, message) => shapes.add(Object.keys(message).join(' ')));
    await scheduler.postTask(() => scheduler.yield());
    assert.deepEqual([...shapes], [
      'id parentId priority isContinuation label delay postedAt queuedAt startedAt endedAt ' +
      'outcome result error',
    ]);
    assert.equal(recorder.messages.length, 2);
  });
});

describe('the messages about a continuation', () => {
  separateTests();

  it('have the label of its task and its id as parentId, also behind awaits', async () => {
    const recorder = record();
    await scheduler.postTask(async () => {
      for (const wait of [() => {}, () => stat(__filename), () => sleep(1), () => turn()]) {
        await wait();
        await scheduler.yield();
      }
      await scheduler.wait(1);
    }, { label: 'task' });
    const [task, ...others] = recorder.messages;
    assert.deepEqual(others.map((each) => [each.label, each.parentId, each.isContinuation]),
      Array(5).fill(['task', task.id, true]));
  });

  it('have no label and no parent outside of tasks', async () => {
    const recorder = record();
    await scheduler.yield();
    const [{ label, parentId }] = recorder.messages;
    assert.deepEqual([label, parentId], ['', undefined]);
  });
});

describe('the parentId of a task', () => {
  separateTests();

  it('is undefined if a timer of the task posted it @async-ids', async () => {
    const recorder = record();
    await scheduler.postTask(() => new Promise((resolve) => {
      setTimeout(() => resolve(scheduler.postTask(nothing, { label: 'inner' })), 1);
    }), { label: 'outer' });
    assert.equal(recorder.message('inner').parentId, undefined);
  });
});

describe('the label of a task', () => {
  separateTests();

  const long = 'x'.repeat(121);
  const withName = (descriptor) => Object.defineProperty(() => {}, 'name', descriptor);
  const inheriting = () => {};
  delete inheriting.name;
  Object.setPrototypeOf(inheriting, { name: 'inherited' });
  const traps = { getOwnPropertyDescriptor: assert.fail, get: assert.fail, has: assert.fail };
  function named() {}

  const LABELS = {
    'is the option of postTask(), converted to a string': [
      [named, { label: 'label' }, 'label'], [named, { label: '' }, ''],
      [named, { label: 12 }, '12'],
    ],
    'is the name of the callback by default': [
      [named, {}, 'named'], [() => {}, {}, ''], [named.bind(), {}, 'bound named'],
    ],
    'has 120 characters at most': [
      [nothing, { label: long }, long.slice(1)], [nothing, { label: long.slice(1) }, long.slice(1)],
      [withName({ value: long }), {}, long.slice(1)],
      [nothing, { label: `1${'🙂'.repeat(60)}` }, `1${'🙂'.repeat(59)}`],
    ],
    'is empty if the name is an accessor, which is not called':
      [[withName({ get: assert.fail }), {}, '']],
    'is empty if the name is inherited': [[inheriting, {}, '']],
    'is empty if the name is no string':
      [undefined, null, 1, Symbol('name'), { toString: assert.fail }].map((value) =>
        [withName({ value }), {}, '']),
    'is empty for a Proxy, whose traps are not called': [[new Proxy(named, traps), {}, '']],
  };
  for (const [title, cases] of Object.entries(LABELS)) {
    it(title, async () => {
      for (const [callback, options, expected] of cases) {
        const recorder = record();
        await scheduler.postTask(callback, options);
        assert.equal(recorder.messages[0].label, expected);
        recorder.end();
      }
    });
  }

  it('follows the name of a callback that is posted again in another turn', async () => {
    const recorder = record();
    const callback = () => {};
    for (const value of ['one', 'two']) {
      Object.defineProperty(callback, 'name', { value });
      await scheduler.postTask(callback);
      await turn();
    }
    assert.deepEqual(recorder.messages.map(({ label }) => label), ['one', 'two']);
  });
});
