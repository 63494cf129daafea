'use strict';

// Delays: delayed tasks are queued by deadline, changes before the deadline count, and very long
// delays are waited for. Random programs of the loop judge that no task is early.

const assert = require('node:assert/strict');
const fc = require('fast-check');
const { TaskController, createScheduler, onIdle, scheduler, wait } = require('../..');
const { PRIORITIES, busy, follow, settled } = require('../helpers/tasks.js');

// Tasks of two schedulers, whose deadlines all pass in the callback that posts them, and changes of
// the priorities of two signals before and after the deadlines.
const priority = fc.constantFrom(...PRIORITIES);
const changes = fc.array(fc.record({ controller: fc.nat(1), priority }), { maxLength: 3 });
const programs = fc.record({
  tasks: fc.array(fc.record({
    delay: fc.nat(6),
    priority: fc.option(priority, { nil: undefined }),
    signal: fc.option(fc.nat(3), { nil: undefined }),
    isOnSecond: fc.boolean(),
    isAborted: fc.nat(5).map((value) => value === 0),
  }), { minLength: 1, maxLength: 12 }),
  before: changes,
  after: changes,
});

// Longer than any of the delays.
const ALL_DELAYS = 7;

const SCHEDULERS = [scheduler, createScheduler()];

// Posts the tasks of a program: the order in which they have run, and the order by a model. Both
// are undefined if the machine stood still, as then the deadlines are open.
async function ordersOf({ tasks, before, after }) {
  await scheduler.postTask(() => {});
  const controllers = ['background', 'user-blocking'].map((priority) => {
    return new TaskController({ priority });
  });
  const signals = controllers.flatMap(({ signal }) => [signal, follow(signal)]);
  const actual = [];
  const abort = new AbortController();
  const change = (list) => {
    for (const { controller, priority } of list) controllers[controller].setPriority(priority);
  };
  const start = performance.now();
  for (const [index, { delay, priority, signal, isOnSecond, isAborted }] of tasks.entries()) {
    const own = signal === undefined ? undefined : signals[signal];
    const options = { delay, priority, signal: isAborted ? abort.signal : own };
    const task = () => actual.push(index);
    SCHEDULERS[isOnSecond ? 1 : 0].postTask(task, options).catch(() => {});
  }
  const isOpen = performance.now() - start > 0.5;
  change(before);
  busy(ALL_DELAYS);
  change(after);
  abort.abort();
  await onIdle();
  const place = (index) => {
    const { priority, signal } = tasks[index];
    return PRIORITIES.indexOf(priority ?? signals[signal]?.priority ?? 'user-visible');
  };
  const expected = [...tasks.keys()].filter((index) => !tasks[index].isAborted)
    .sort((one, other) => place(one) - place(other) || tasks[one].delay - tasks[other].delay);
  return isOpen ? {} : { actual, expected };
}

describe('a delayed task', () => {
  it('is queued by deadline, then by call, and has the priority that its signal got', async () => {
    await fc.assert(fc.asyncProperty(programs, async (program) => {
      const { actual, expected } = await ordersOf(program);
      assert.deepEqual(actual, expected);
    }), { numRuns: 100 });
  });

  for (const delay of [2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 40, 2 ** 53 - 1]) {
    it(`waits when the delay is ${delay} ms`, async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const log = [];
      const task = scheduler.postTask(() => log.push('early'), { signal, delay });
      await scheduler.postTask(() => log.push('short'), { delay: 40, priority: 'background' });
      assert.deepEqual(log, ['short']);
      controller.abort('enough');
      assert.deepEqual(await settled(task), ['rejected', 'enough']);
    });
  }
});

describe('the function wait()', () => {
  it('is the method of the scheduler: it inherits, and rejects bad input', async () => {
    const { signal } = new TaskController({ priority: 'background' });
    const work = async () => {
      const start = performance.now();
      await wait(2);
      assert.ok(performance.now() - start >= 2);
      const order = [];
      const visible = scheduler.postTask(() => order.push('visible'));
      await wait(0).then(() => order.push('background'));
      await visible;
      return order;
    };
    assert.deepEqual(await scheduler.postTask(work, { signal }), ['visible', 'background']);
    await assert.rejects(wait(1, { signal: AbortSignal.abort('reason') }), (error) => {
      return error === 'reason';
    });
    await assert.rejects(wait(), { code: 'ERR_INVALID_ARG_TYPE' });
  });
});
