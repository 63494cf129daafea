'use strict';

// The rejections of drain(): they count as handled, and each task is judged by its own priority,
// also if code posts or changes tasks meanwhile. drain.test.js has the rest.

const assert = require('node:assert/strict');
const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const { TaskController, drain, onIdle, scheduler } = require('../..');
const { PRIORITIES, output, settled, startedTask } = require('../helpers/tasks.js');
const { assertRuns } = require('../helpers/examples.js');
const { examples, read } = require('../helpers/docs.js');
const { LIMIT } = require('../helpers/programs.js');

const ABORTED = 'uv-scheduler:task:aborted';

// Calls `listener` for each aborted task while `run` lasts.
async function whileListening(listener, run) {
  subscribe(ABORTED, listener);
  try {
    return await run();
  } finally {
    unsubscribe(ABORTED, listener);
  }
}

describe('what drain() rejects', () => {
  beforeEach(() => onIdle());

  it('ends no process that has a background task without an await @package-by-name', async () => {
    const program = examples(read('docs/guide.md')).find(({ code }) => /SIGTERM/.test(code));
    // The endless task of the program keeps this one waiting.
    const code = `${program.code}\nscheduler.postTask(() => {}, { priority: 'background' });\n`;
    const prints = program.prints.replace('1 aborted', '2 aborted');
    await assertRuns({ language: 'js', code, prints });
  }).timeout(4 * LIMIT);

  it('counts as handled, whether it waits, is posted meanwhile, or runs @inspect', async () => {
    const lines = await output((root) => {
      const { TaskController, drain, scheduler } = require(root);
      process.on('unhandledRejection', (error) => console.log('unhandled', error));
      const { signal } = new TaskController({ priority: 'background' });
      const promises = [];
      const post = () => {
        for (const options of [{ priority: 'background' }, { signal }, { delay: 60_000 }]) {
          promises.push(scheduler.postTask(() => {}, options));
        }
      };
      scheduler.postTask(async () => {
        promises.push(scheduler.postTask(() => new Promise(() => {})));
        promises.push(scheduler.postTask(() => new Promise(() => {}), { signal }));
        await scheduler.yield({ priority: 'background' });
        // Both tasks have begun. Endless work of a higher priority keeps these two waiting.
        (async () => {
          for (;;) await scheduler.yield();
        })().catch(() => {});
        promises.push(scheduler.yield({ priority: 'background' }), scheduler.yield({ signal }));
        promises.push(scheduler.wait(60_000), scheduler.wait(60_000, { signal }));
        post();
        setTimeout(post, 1);
        drain({ timeout: 50 }).then(async () => {
          const outcomes = await Promise.allSettled(promises);
          const names = outcomes.map(({ reason }) => reason?.name);
          console.log(names.length, new Set(names));
        });
      });
    });
    assert.deepEqual(lines, ["12 Set(2) { 'TimeoutError', 'AbortError' }"]);
  });

  it('is reported as usual by promises that were derived from it', async () => {
    const lines = await output((root) => {
      const { drain, scheduler } = require(root);
      process.on('unhandledRejection', ({ message }) => console.log('unhandled:', message));
      const derived = async (promise) => {
        await promise;
      };
      derived(scheduler.postTask(() => {}, { priority: 'background' }));
      scheduler.postTask(() => {}, { delay: 1000 }).finally(() => {});
      derived(scheduler.wait(60_000));
      drain({ timeout: 10 });
    });
    assert.deepEqual(lines, [
      "unhandled: drain() runs no tasks below the priority 'user-visible'",
      'unhandled: drain() does not wait for delayed tasks',
      'unhandled: drain() timed out after 10 ms',
    ]);
  });

  it('is none of the tasks that are posted while it looks at those that wait', async () => {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const posted = [];
    // The first one that is rejected takes all others away, and the new ones get their places.
    const respond = () => {
      controller.abort();
      posted.push(settled(scheduler.postTask(() => 'ran', { priority: 'user-blocking' })));
    };
    await whileListening(respond, async () => {
      const waiting = [settled(scheduler.postTask(() => {}, { priority: 'background' }))];
      for (let i = 0; i < 9; i++) waiting.push(settled(scheduler.postTask(() => {}, { signal })));
      await drain();
      for (const [outcome] of await Promise.all(waiting)) assert.equal(outcome, 'rejected');
    });
    assert.deepEqual(await Promise.all(posted), Array(10).fill(['fulfilled', 'ran']));
  });

  it('is a waiting task whose priority is lowered too far meanwhile', async () => {
    const { task, finish } = await startedTask();
    const controller = new TaskController({ priority: 'user-blocking' });
    const { signal } = controller;
    const ran = [];
    let drained;
    let outcomes;
    await scheduler.postTask(() => {
      // The tasks below wait behind this one.
      drained = drain();
      outcomes = [0, 1].map((i) => settled(scheduler.postTask(() => ran.push(i), { signal })));
      outcomes.push(settled(scheduler.postTask(() => ran.push('fixed'))));
      controller.setPriority('user-visible');
      controller.setPriority('background');
      controller.setPriority('user-blocking');
    }, { priority: 'user-blocking' });
    finish();
    const [first, second, fixed] = await Promise.all(outcomes);
    assert.deepEqual([first[0], second[0], fixed[0]], ['rejected', 'rejected', 'fulfilled']);
    assert.match(first[1].message, /runs no tasks below the priority 'user-visible'/);
    assert.deepEqual(ran, ['fixed']);
    const { aborted } = await drained;
    assert.deepEqual(PRIORITIES.map((priority) => aborted[priority]), [0, 0, 2]);
    await task;
  });

  it('is not a continuation of a chain whose priority is lowered', async () => {
    const controller = new TaskController();
    const { signal } = controller;
    const { task, finish } = await startedTask();
    const drained = drain();
    const chain = scheduler.yield({ signal }).then(() => 'went on');
    controller.setPriority('background');
    assert.equal(await chain, 'went on');
    finish();
    await drained;
    await task;
  });
});
