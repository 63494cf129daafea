'use strict';

// yield(): the priority and the abort source of a continuation for each combination of options,
// inside a task and outside, and that it outranks tasks of its priority. scheduling-state.test.js
// tests how the scheduling state follows asynchronous code.

const assert = require('node:assert/strict');
const { TaskController, TaskSignal, scheduler } = require('../..');
const { CONTINUATION, PRIORITIES, priorityOfYield, settled } = require('../helpers/tasks.js');

// Runs `callback` in a task with these options.
function inTask(options, callback) {
  return scheduler.postTask(callback, options);
}

// Which of the controllers abort a continuation with these options that is created now.
async function abortedBy(options, controllers) {
  const continuation = settled(scheduler.yield(options));
  for (const [name, controller] of Object.entries(controllers)) controller.abort(name);
  const [state, reason] = await continuation;
  return state === 'rejected' ? reason : 'nobody';
}

describe('yield', () => {
  it('resolves to undefined', async () => {
    assert.equal(await scheduler.yield(), undefined);
    assert.equal(await inTask({ priority: 'background' }, () => scheduler.yield()), undefined);
  });

  it('returns a promise of this realm', async () => {
    const continuation = scheduler.yield();
    assert.equal(Object.getPrototypeOf(continuation), Promise.prototype);
    await continuation;
  });

  it('ends the current task, so that others of higher priority run first', async () => {
    const log = [];
    const tasks = [];
    await inTask({ priority: 'background' }, async () => {
      tasks.push(scheduler.postTask(() => log.push('blocking'), { priority: 'user-blocking' }));
      tasks.push(scheduler.postTask(() => log.push('visible')));
      await scheduler.yield();
      log.push('continuation');
    });
    await Promise.all(tasks);
    assert.deepEqual(log, ['blocking', 'visible', 'continuation']);
  });

  for (const priority of PRIORITIES) {
    it(`creates a ${priority} continuation that runs before ${priority} tasks`, async () => {
      const log = [];
      const tasks = [
        scheduler.postTask(() => log.push('older task'), { priority }),
        scheduler.yield({ priority }).then(() => log.push('continuation')),
        scheduler.postTask(() => log.push('younger task'), { priority }),
        scheduler.yield({ priority }).then(() => log.push('next continuation')),
      ];
      await Promise.all(tasks);
      const expected = ['continuation', 'next continuation', 'older task', 'younger task'];
      assert.deepEqual(log, expected);
    });
  }

  it('creates continuations that do not outrank tasks of a higher priority', async () => {
    const log = [];
    await Promise.all([
      scheduler.yield({ priority: 'background' }).then(() => log.push('background continuation')),
      scheduler.yield({ priority: 'user-visible' }).then(() => log.push('visible continuation')),
      scheduler.postTask(() => log.push('visible')),
      scheduler.postTask(() => log.push('blocking'), { priority: 'user-blocking' }),
    ]);
    const expected = ['blocking', 'visible continuation', 'visible', 'background continuation'];
    assert.deepEqual(log, expected);
  });

  it('lets a chain that has begun run before a task of its priority', async () => {
    const log = [];
    const chain = (name) => async () => {
      for (let step = 0; step < 3; step++) {
        log.push(`${name}${step}`);
        await scheduler.yield();
      }
    };
    await Promise.all([scheduler.postTask(chain('a')), scheduler.postTask(chain('b'))]);
    assert.deepEqual(log, ['a0', 'a1', 'a2', 'b0', 'b1', 'b2']);
  });

  it('alternates between two chains that have begun', async () => {
    const log = [];
    const chain = async (name) => {
      for (let step = 0; step < 3; step++) {
        await scheduler.yield();
        log.push(`${name}${step}`);
      }
    };
    await Promise.all([chain('a'), chain('b')]);
    assert.deepEqual(log, ['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  });

  describe('outside any task', () => {
    it('is user-visible by default', async () => {
      for (const options of [undefined, null, {}, { priority: undefined, signal: undefined }]) {
        assert.equal(await priorityOfYield(options), CONTINUATION['user-visible']);
      }
    });

    it('is user-visible if it inherits', async () => {
      const all = [
        { signal: 'inherit' },
        { priority: 'inherit' },
        { signal: 'inherit', priority: 'inherit' },
        { signal: new AbortController().signal, priority: 'inherit' },
        { signal: new TaskController({ priority: 'background' }).signal, priority: 'inherit' },
      ];
      for (const options of all) {
        assert.equal(await priorityOfYield(options), CONTINUATION['user-visible']);
      }
    });

    for (const priority of PRIORITIES) {
      it(`is ${priority} if the option says so`, async () => {
        const { signal } = new TaskController();
        const all = [{ priority }, { priority, signal }, { priority, signal: 'inherit' }];
        for (const options of all) {
          assert.equal(await priorityOfYield(options), CONTINUATION[priority]);
        }
      });

      it(`is ${priority} if its signal is`, async () => {
        const { signal } = new TaskController({ priority });
        assert.equal(await priorityOfYield({ signal }), CONTINUATION[priority]);
        const fixed = TaskSignal.any([], { priority });
        assert.equal(await priorityOfYield({ signal: fixed }), CONTINUATION[priority]);
      });
    }
  });

  // The priority and signal of a yield() in a task with its own signal (`mine`), for each
  // combination of options. `other` is a signal with a priority, `plain` one without.
  describe('inside a background task', () => {
    const background = CONTINUATION.background;
    const visible = CONTINUATION['user-visible'];
    const blocking = CONTINUATION['user-blocking'];
    const table = [
      // signal, priority: effective priority, who can abort it.
      [undefined, undefined, background, 'mine'],
      ['inherit', undefined, background, 'mine'],
      [undefined, 'inherit', background, 'nobody'],
      ['inherit', 'inherit', background, 'mine'],
      [undefined, 'user-blocking', blocking, 'nobody'],
      [undefined, 'user-visible', visible, 'nobody'],
      ['inherit', 'user-blocking', blocking, 'mine'],
      ['inherit', 'user-visible', visible, 'mine'],
      ['other', undefined, blocking, 'other'],
      ['other', 'inherit', background, 'other'],
      ['other', 'user-visible', visible, 'other'],
      ['plain', undefined, visible, 'plain'],
      ['plain', 'inherit', background, 'plain'],
      ['plain', 'user-blocking', blocking, 'plain'],
    ];

    // Where the task's priority comes from.
    const origins = {
      'an option': () => [{ priority: 'background' }, new AbortController()],
      'its signal': () => [{}, new TaskController({ priority: 'background' })],
    };

    for (const [origin, make] of Object.entries(origins)) {
      for (const [signal, priority, effective, aborter] of table) {
        const given = `{signal: ${signal}, priority: ${priority}}`;

        it(`with its priority from ${origin}, ${given}: abortable by ${aborter}`, async () => {
          const [options, mine] = make();
          const other = new TaskController({ priority: 'user-blocking' });
          const controllers = { mine, other, plain: new AbortController() };
          const yieldOptions = {};
          if (signal !== undefined) yieldOptions.signal = controllers[signal]?.signal ?? signal;
          if (priority !== undefined) yieldOptions.priority = priority;
          await inTask({ ...options, signal: mine.signal }, async () => {
            assert.equal(await priorityOfYield(yieldOptions), effective);
            assert.equal(await abortedBy(yieldOptions, controllers), aborter);
          });
        });
      }
    }

    it('treats null as no options', async () => {
      const mine = new TaskController({ priority: 'background' });
      await inTask({ signal: mine.signal }, async () => {
        assert.equal(await priorityOfYield(null), background);
        assert.equal(await abortedBy(null, { mine }), 'mine');
      });
    });

    it('treats undefined members as absent', async () => {
      const mine = new TaskController({ priority: 'background' });
      const options = { signal: undefined, priority: undefined };
      await inTask({ signal: mine.signal }, async () => {
        assert.equal(await priorityOfYield(options), background);
        assert.equal(await abortedBy(options, { mine }), 'mine');
      });
    });
  });

  describe('inherits', () => {
    for (const priority of PRIORITIES) {
      it(`the ${priority} priority through many yields`, async () => {
        await inTask({ priority }, async () => {
          for (let times = 0; times < 20; times++) await scheduler.yield();
          assert.equal(await priorityOfYield(), CONTINUATION[priority]);
        });
      });
    }

    it('the priority of the option, not of the signal', async () => {
      const { signal } = new TaskController({ priority: 'background' });
      await inTask({ signal, priority: 'user-blocking' }, async () => {
        assert.equal(await priorityOfYield(), CONTINUATION['user-blocking']);
        assert.equal(await priorityOfYield({ signal }), CONTINUATION.background);
      });
    });

    it('the state of the task, not the options of an earlier yield', async () => {
      const mine = new TaskController({ priority: 'background' });
      const other = new TaskController({ priority: 'user-visible' });
      await inTask({ signal: mine.signal }, async () => {
        await scheduler.yield({ priority: 'user-blocking' });
        assert.equal(await priorityOfYield(), CONTINUATION.background);
        await scheduler.yield({ signal: other.signal });
        assert.equal(await priorityOfYield(), CONTINUATION.background);
        assert.equal(await abortedBy(undefined, { other, mine }), 'mine');
      });
    });

    it('nothing from a yield with options outside any task', async () => {
      const { signal } = new TaskController({ priority: 'background' });
      await scheduler.yield({ signal });
      assert.equal(await priorityOfYield(), CONTINUATION['user-visible']);
    });

    it('the current priority of the task\'s signal', async () => {
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      await inTask({ signal }, async () => {
        controller.setPriority('user-blocking');
        assert.equal(await priorityOfYield(), CONTINUATION['user-blocking']);
        controller.setPriority('user-visible');
        assert.equal(await priorityOfYield({ priority: 'inherit' }), CONTINUATION['user-visible']);
      });
    });

    it('a priority that follows the signal while the continuation waits', async () => {
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      for (const options of [undefined, { signal: 'inherit' }, { priority: 'inherit' }]) {
        controller.setPriority('background');
        await inTask({ signal }, async () => {
          const log = [];
          const continuation = scheduler.yield(options).then(() => log.push('continuation'));
          const tasks = PRIORITIES.map((priority) => {
            return scheduler.postTask(() => log.push(priority), { priority });
          });
          controller.setPriority('user-blocking');
          await Promise.all([continuation, ...tasks]);
          assert.deepEqual(log, ['continuation', ...PRIORITIES]);
        });
      }
    });
  });

  it('fixes a priority by option, even if the priority of the signal changes', async () => {
    const controller = new TaskController({ priority: 'user-blocking' });
    const { signal } = controller;
    const log = [];
    const tasks = [
      scheduler.yield({ signal, priority: 'background' }).then(() => log.push('fixed')),
      scheduler.postTask(() => log.push('visible')),
      scheduler.yield({ signal }).then(() => log.push('follows')),
    ];
    controller.setPriority('user-visible');
    await Promise.all(tasks);
    assert.deepEqual(log, ['follows', 'visible', 'fixed']);
  });

  describe('rejects', () => {
    const reasons = [new Error('mine'), 'text', 0, '', false, null];

    it('at once with the reason itself if its signal is aborted already', async () => {
      for (const reason of reasons) {
        const signal = AbortSignal.abort(reason);
        for (const options of [{ signal }, { signal, priority: 'inherit' }]) {
          assert.deepEqual(await settled(scheduler.yield(options)), ['rejected', reason]);
        }
      }
    });

    it('at once if the abort source that it inherits is aborted already', async () => {
      for (const reason of reasons) {
        const controller = new AbortController();
        const { signal } = controller;
        await inTask({ signal }, async () => {
          await scheduler.yield();
          controller.abort(reason);
          const log = [];
          const task = scheduler.postTask(() => log.push('task'), { priority: 'user-blocking' });
          assert.deepEqual(await settled(scheduler.yield()), ['rejected', reason]);
          log.push('rejected');
          const inherited = scheduler.yield({ signal: 'inherit', priority: 'background' });
          assert.deepEqual(await settled(inherited), ['rejected', reason]);
          await task;
          assert.deepEqual(log, ['rejected', 'task']);
        });
      }
    });

    it('not if its options exclude the aborted source', async () => {
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      await inTask({ signal }, async () => {
        await scheduler.yield();
        controller.abort();
        const other = new AbortController().signal;
        for (const options of [{ priority: 'inherit' }, { priority: 'background' },
          { signal: other }, { signal: other, priority: 'inherit' }]) {
          await scheduler.yield(options);
        }
      });
    });

    it('if it is aborted while it waits', async () => {
      const controller = new TaskController();
      const { signal } = controller;
      await inTask({ signal }, async () => {
        await scheduler.yield();
        const continuation = scheduler.yield();
        scheduler.postTask(() => controller.abort('from a task'), { priority: 'user-blocking' });
        assert.deepEqual(await settled(continuation), ['rejected', 'from a task']);
      });
    });

    it('in call order, together with the tasks of the signal', async () => {
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      const log = [];
      const all = [
        scheduler.postTask(() => {}, { signal }),
        scheduler.yield({ signal }),
        scheduler.postTask(() => {}, { signal, delay: 1000 }),
        scheduler.yield({ signal, priority: 'user-visible' }),
      ].map((promise, index) => promise.catch(() => log.push(index)));
      controller.abort();
      await Promise.all(all);
      assert.deepEqual(log, [0, 1, 2, 3]);
    });

    it('not if it is aborted after it has run', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      await scheduler.yield({ signal });
      const continuation = scheduler.yield({ signal }).then(() => controller.abort());
      await continuation;
    });
  });

  it('continues in a new task, whose reactions end before the next task starts', async () => {
    const log = [];
    const chain = async () => {
      await scheduler.yield();
      log.push('continuation');
      await null;
      log.push('its microtask');
    };
    await Promise.all([chain(), scheduler.postTask(() => log.push('task'))]);
    assert.deepEqual(log, ['continuation', 'its microtask', 'task']);
  });
});
