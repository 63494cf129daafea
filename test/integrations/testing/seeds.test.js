'use strict';

// Orders under seeds: each is one that the contract allows, and a seed repeats its order.

const assert = require('node:assert/strict');
const { TaskController, scheduler, shouldYield } = require('uv-scheduler');
const { createTestScheduler, seeds } = require('uv-scheduler/testing');
const { output } = require('../../helpers/tasks.js');

// Runs `begin` in a test scheduler with this seed. Returns what the trace tells.
async function traceOf(seed, begin) {
  const test = createTestScheduler({ seed });
  try {
    const end = begin(test);
    await test.runAll();
    await end;
    return test.trace;
  } finally {
    test.stop();
  }
}

const starts = (trace) =>
  trace.filter(({ event }) => event === 'started').map(({ label }) => label).join(' ');

// Two delayed tasks, and a chain that asks whether to yield: their order depends on luck.
const racing = () => Promise.all([
  scheduler.postTask(() => {}, { delay: 10, label: 'a' }),
  scheduler.postTask(() => {}, { delay: 11, label: 'b', priority: 'user-blocking' }),
  scheduler.postTask(async () => {
    for (let i = 0; i < 20; i++) if (shouldYield()) await scheduler.yield();
  }, { delay: 9, label: 'c', priority: 'background' }),
]);

describe('with a seed a test scheduler', () => {
  it('repeats an order, also with signals whose priority changes', async () => {
    const changing = () => {
      const controller = new TaskController({ priority: 'background' });
      return Promise.all(['a', 'b', 'c'].map((label) => scheduler.postTask(async () => {
        await scheduler.yield();
        if (label === 'b') controller.setPriority('user-blocking');
      }, { label, signal: controller.signal })));
    };
    for (const seed of seeds(20)) {
      for (const begin of [racing, changing]) {
        assert.deepEqual(await traceOf(seed, begin), await traceOf(seed, begin));
      }
    }
  });

  it('finds orders that depend on luck', async () => {
    const found = new Set();
    for (const seed of seeds(100)) {
      found.add(starts(await traceOf(seed, racing)).replace(/(c )+c/g, 'c'));
    }
    for (const order of ['c a b', 'c b a']) assert.ok(found.has(order), [...found].join('; '));
  });

  it('gives both answers to code that asks whether to yield', async () => {
    const answers = new Set();
    for (const seed of seeds(50)) {
      await traceOf(seed, () => scheduler.postTask(() => {
        for (let i = 0; i < 10; i++) answers.add(shouldYield());
      }, { priority: 'background' }));
    }
    assert.deepEqual(answers, new Set([true, false]));
  });

  it('moves timers before and behind delayed tasks that are due with them', async () => {
    const found = new Set();
    for (const seed of seeds(50)) {
      const log = [];
      let time = 0;
      const advanceTimers = (ms) => {
        const isDue = time < 10 && time + ms >= 10;
        time += ms;
        if (isDue) log.push('timer');
      };
      const test = createTestScheduler({ seed, advanceTimers });
      const task = scheduler.postTask(() => log.push('task'), { delay: 10 });
      await test.runAll();
      await task;
      test.stop();
      found.add(log.join(' '));
    }
    assert.deepEqual(found, new Set(['timer task', 'task timer']));
  });

  // The rules that hold without a seed, and that no seed may break.
  it('starts the oldest entry of the highest priority, and none early', async () => {
    const delays = [1, 5.5, 30];
    for (const seed of [undefined, ...seeds(100)]) {
      const trace = await traceOf(seed, () => Promise.all([
        ...['background', 'user-visible', 'user-blocking'].flatMap((priority) => {
          return [1, 2].map((number) => scheduler.postTask(() => scheduler.yield(), {
            priority, label: `${priority} ${number}`,
          }));
        }),
        ...delays.map((delay) => scheduler.postTask(() => {}, { delay, label: `${delay}` })),
      ]));
      const isDelayed = ({ label }) => delays.includes(Number(label));
      const expected = ['user-blocking', 'user-visible', 'background'].flatMap((priority) =>
        [`${priority} 1`, `${priority} 1`, `${priority} 2`, `${priority} 2`]);
      assert.equal(starts(trace.filter((each) => !isDelayed(each))), expected.join(' '));
      for (const { event, time, label } of trace.filter(isDelayed)) {
        assert.ok(event !== 'started' || time >= Math.trunc(label), `${label} starts at ${time}`);
      }
    }
  });
});

describe('seeds()', () => {
  it('are whole numbers from the first one on', () => {
    assert.deepEqual([...seeds(3)], [0, 1, 2]);
    assert.deepEqual([...seeds(2, 2 ** 32 - 1)], [2 ** 32 - 1, 0]);
  });

  it('name the last one in a warning if the loop ends early', async () => {
    const lines = await output((root) => {
      process.removeAllListeners('warning');
      const { seeds: count } = require(`${root}/dist/testing.js`);
      process.on('warning', ({ code, message }) => console.log(code, message));
      try {
        for (const seed of count(10)) if (seed === 4) throw new Error('a failed assertion');
      } catch {
        // The warning follows.
      }
      for (const seed of count(2)) void seed;
    });
    assert.deepEqual(lines, [
      'UV_SCHEDULER_SEED The loop over seeds() ended at seed 4. createTestScheduler({ seed: 4 }) ' +
        'repeats its order.',
    ]);
  });
});
