'use strict';

// Delays: delayed tasks are queued by deadline, changes before the deadline count, and very long
// delays are waited for. Random programs of the loop judge that no task is early.

const assert = require('node:assert/strict');
const { TaskController, createScheduler, scheduler, wait } = require('../..');
const {
  CONTINUATION, PRIORITIES, busy, effectivePriority, follow, settled,
} = require('../helpers/tasks.js');

// Posts tasks whose deadlines all pass in the callback that posts them, in another order than that
// of the calls, and changes their signals before and after. Returns the order in which they run;
// undefined if the machine stood still for so long that the order is open.
async function orderByDeadline() {
  const raised = new TaskController({ priority: 'background' });
  const lowered = new TaskController({ priority: 'user-blocking' });
  const aborted = new AbortController();
  const schedulers = [scheduler, createScheduler()];
  const log = [];
  const tasks = [];
  const post = (name, delay, options) => {
    const own = schedulers[tasks.length % 2];
    tasks.push(settled(own.postTask(() => log.push(name), { delay, ...options })));
  };
  await scheduler.postTask(() => {}, { priority: 'background' });
  const started = performance.now();
  for (const [name, delay] of [['third', 30], ['first', 10], ['second', 20], ['fourth', 30]]) {
    for (const priority of PRIORITIES) post(`${priority} ${name}`, delay, { priority });
    post(`raised ${name}`, delay, { signal: raised.signal });
    post(`lowered ${name}`, delay, { signal: follow(lowered.signal) });
    post(`aborted ${name}`, delay, { signal: aborted.signal });
  }
  const isKnown = performance.now() - started < 10;
  raised.setPriority('user-visible');
  busy(40);
  raised.setPriority('user-blocking');
  lowered.setPriority('background');
  aborted.abort();
  await Promise.all(tasks);
  return isKnown ? log : undefined;
}

describe('a delayed task', () => {
  it('is queued by deadline, then by call, and has the priority that its signal got', async () => {
    const byDeadline = (...names) => ['first', 'second', 'third', 'fourth'].flatMap((each) => {
      return names.map((name) => `${name} ${each}`);
    });
    let actual;
    while (actual === undefined) actual = await orderByDeadline();
    assert.deepEqual(actual, [
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
    await scheduler.postTask(() => log.push('short'), { delay: 40, priority: 'background' });
    assert.deepEqual(log, ['short']);
    controller.abort('enough');
    const expected = LONG.map(() => ['rejected', 'enough']);
    assert.deepEqual(await Promise.all(tasks.map(settled)), expected);
  });
});

describe('the function wait()', () => {
  it('is the method of the scheduler: it waits, inherits, and rejects bad input', async () => {
    const { signal } = new TaskController({ priority: 'background' });
    const rank = await scheduler.postTask(() => {
      return effectivePriority((mark) => wait(0).then(mark));
    }, { signal });
    assert.equal(rank, CONTINUATION.background);
    const start = performance.now();
    await wait(2);
    assert.ok(performance.now() - start >= 2);
    const reason = {};
    await assert.rejects(wait(1, { signal: AbortSignal.abort(reason) }), (e) => e === reason);
    await assert.rejects(wait(), { code: 'ERR_INVALID_ARG_TYPE' });
  });
});
