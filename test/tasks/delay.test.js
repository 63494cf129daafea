'use strict';

// Delays: delayed tasks are queued by deadline, changes before the deadline count, and very long
// delays are waited for. Random programs of the loop judge that no task is early.

const assert = require('node:assert/strict');
const { TaskController, createScheduler, scheduler, wait } = require('../..');
const {
  CONTINUATION, PRIORITIES, effectivePriority, follow, settled,
} = require('../helpers/tasks.js');
const { createTestScheduler } = require('uv-scheduler/testing');

describe('a delayed task', () => {
  it('is queued by deadline, then by call, and has the priority that its signal got', async () => {
    const test = createTestScheduler();
    const raised = new TaskController({ priority: 'background' });
    const lowered = new TaskController({ priority: 'user-blocking' });
    const aborted = new AbortController();
    const schedulers = [scheduler, createScheduler()];
    const log = [];
    let count = 0;
    const post = (name, delay, options) => {
      const own = schedulers[count++ % 2];
      own.postTask(() => log.push(name), { delay, ...options }).catch(() => {});
    };
    for (const [name, delay] of [['third', 30], ['first', 10], ['second', 20], ['fourth', 30]]) {
      for (const priority of PRIORITIES) post(`${priority} ${name}`, delay, { priority });
      post(`raised ${name}`, delay, { signal: raised.signal });
      post(`lowered ${name}`, delay, { signal: follow(lowered.signal) });
      post(`aborted ${name}`, delay, { signal: aborted.signal });
    }
    raised.setPriority('user-visible');
    // All deadlines pass in the code that posts.
    test.spend(40);
    raised.setPriority('user-blocking');
    lowered.setPriority('background');
    aborted.abort();
    await test.flush();
    test.stop();
    const byDeadline = (...names) => ['first', 'second', 'third', 'fourth'].flatMap((each) =>
      names.map((name) => `${name} ${each}`));
    assert.deepEqual(log, [
      ...byDeadline('user-blocking', 'raised'), ...byDeadline('user-visible'),
      ...byDeadline('background', 'lowered'),
    ]);
  });

  const LONG = [2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 40, 2 ** 53 - 1, 2 ** 53 - 0.6,
    `${2 ** 53 - 1}`];
  it('waits however long the delay is', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const log = [];
    const tasks = LONG.map((delay) => scheduler.postTask(() => log.push(delay), { signal, delay }));
    await scheduler.postTask(() => log.push('short'), { delay: 5, priority: 'background' });
    assert.deepEqual(log, ['short']);
    controller.abort('enough');
    const expected = LONG.map(() => ['rejected', 'enough']);
    assert.deepEqual(await Promise.all(tasks.map(settled)), expected);
  });
});

it('the function wait() is the method of the scheduler: it waits, and inherits', async () => {
  const options = { priority: 'background' };
  const inherit = () => effectivePriority((mark) => wait(0).then(mark));
  const rank = await scheduler.postTask(inherit, options);
  assert.equal(rank, CONTINUATION.background);
  const start = performance.now();
  await wait(2);
  assert.ok(performance.now() - start >= 2);
  await assert.rejects(wait(), { code: 'ERR_INVALID_ARG_TYPE' });
});
