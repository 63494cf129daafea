'use strict';

// The diagnostics channels of tasks: which messages there are, in which order, and what is in them.
// channels-subscribers.test.js tests what subscribers may do.

const assert = require('node:assert/strict');
const { stat } = require('node:fs/promises');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { TaskController, drain, requestIdleCallback, scheduler } = require('../..');
const { PRIORITIES, settled, startedTask } = require('../helpers/tasks.js');
const {
  assertConsistent, assertTimes, record, separateTests,
} = require('../helpers/watch.js');

const nothing = () => {};

describe('the messages about a task', () => {
  separateTests();

  it('are posted, start, end, asyncStart and asyncEnd if its callback returns', async () => {
    const recorder = record();
    assert.equal(await scheduler.postTask(() => 'value', { label: 'task' }), 'value');
    assert.equal(recorder.eventsOf('task'), 'posted start end asyncStart asyncEnd');
    const { outcome, result, error } = recorder.message('task');
    assert.deepEqual({ outcome, result, error }, {
      outcome: 'completed', result: 'value', error: undefined,
    });
    assertConsistent(recorder);
  });

  it('tell that it settles when the promise does that its callback has returned', async () => {
    const recorder = record();
    const { task, finish } = await startedTask({ label: 'task' });
    await turn();
    assert.equal(recorder.eventsOf('task'), 'posted start end');
    assert.equal(recorder.message('task').outcome, undefined);
    finish('value');
    await task;
    assert.equal(recorder.message('task').result, 'value');
    assertConsistent(recorder);
  });

  const reason = new Error('thrown');
  const failures = {
    'throws': () => {
      throw reason;
    },
    'returns a promise that is rejected': async () => {
      await null;
      throw reason;
    },
    'returns a thenable that throws': () => ({ then() {
      throw reason;
    } }),
  };
  for (const [name, callback] of Object.entries(failures)) {
    it(`have an error if its callback ${name}`, async () => {
      const recorder = record();
      const task = scheduler.postTask(callback, { label: 'task' });
      assert.deepEqual(await settled(task), ['rejected', reason]);
      assert.equal(recorder.eventsOf('task'), 'posted start end error asyncStart asyncEnd');
      const { outcome, result, error } = recorder.message('task');
      assert.deepEqual([outcome, result, error], ['failed', undefined, reason]);
      assertConsistent(recorder);
    });
  }

  it('have an error if its callback returns its own promise', async () => {
    const recorder = record();
    const task = scheduler.postTask(() => task, { label: 'task' });
    await assert.rejects(task, TypeError);
    assert.equal(recorder.message('task').outcome, 'failed');
    assert.ok(recorder.message('task').error instanceof TypeError);
    assertConsistent(recorder);
  });

  it('are posted and aborted if it is aborted while it waits', async () => {
    const recorder = record();
    const controller = new TaskController();
    const { signal } = controller;
    const tasks = [{ label: 'queued' }, { label: 'delayed', delay: 1000 }].map((options) => {
      return scheduler.postTask(assert.fail, { ...options, signal });
    });
    controller.abort('reason');
    for (const task of tasks) assert.deepEqual(await settled(task), ['rejected', 'reason']);
    for (const label of ['queued', 'delayed']) {
      assert.equal(recorder.eventsOf(label), 'posted aborted');
      const { outcome, error, startedAt, endedAt } = recorder.message(label);
      assert.deepEqual([outcome, error, startedAt, endedAt], [
        'aborted', 'reason', undefined, undefined,
      ]);
    }
    assertConsistent(recorder);
  });

  it('have aborted before the end if its callback aborts it', async () => {
    const recorder = record();
    const controller = new TaskController();
    const { signal } = controller;
    const task = scheduler.postTask(() => controller.abort('reason'), { label: 'task', signal });
    assert.deepEqual(await settled(task), ['rejected', 'reason']);
    assert.equal(recorder.eventsOf('task'), 'posted start aborted asyncStart asyncEnd end');
    assertConsistent(recorder);
  });

  it('have aborted instead of error if it passes on the reason of its own signal', async () => {
    const recorder = record();
    const controller = new TaskController();
    const { signal } = controller;
    const task = scheduler.postTask(async () => {
      await turn();
      controller.abort('reason');
      signal.throwIfAborted();
    }, { label: 'task', signal });
    assert.deepEqual(await settled(task), ['rejected', 'reason']);
    assert.equal(recorder.eventsOf('task'), 'posted start end aborted asyncStart asyncEnd');
    assertConsistent(recorder);
  });

  it('have aborted instead of error if its reason is the cause of an error of Node', async () => {
    const recorder = record();
    const controller = new TaskController();
    const { signal } = controller;
    const task = scheduler.postTask(async () => {
      const slept = sleep(1e6, undefined, { signal });
      await turn();
      controller.abort('reason');
      await slept;
    }, { label: 'task', signal });
    const [outcome, { code, cause }] = await settled(task);
    assert.deepEqual([outcome, code, cause], ['rejected', 'ABORT_ERR', 'reason']);
    assert.equal(recorder.eventsOf('task'), 'posted start end aborted asyncStart asyncEnd');
    assertConsistent(recorder);
  });

  it('have an error if its signal is aborted, and it fails for a reason of its own', async () => {
    const hostile = { get code() {
      throw new Error('code');
    } };
    for (const error of [new Error('own', { cause: 'reason' }), hostile, null]) {
      const recorder = record();
      const controller = new TaskController();
      const { signal } = controller;
      const task = scheduler.postTask(async () => {
        await turn();
        controller.abort('reason');
        throw error;
      }, { label: 'task', signal });
      assert.deepEqual(await settled(task), ['rejected', error]);
      assert.equal(recorder.eventsOf('task'), 'posted start end error asyncStart asyncEnd');
      assertConsistent(recorder);
    }
  });

  it('are posted and aborted if a draining rejects it', async () => {
    const recorder = record();
    const tasks = ['low', 'delayed'].map((label, i) => scheduler.postTask(assert.fail, {
      label, priority: i === 0 ? 'background' : 'user-blocking', delay: i * 1000,
    }));
    const counts = drain();
    for (const task of tasks) await assert.rejects(task, { name: 'AbortError' });
    await counts;
    for (const label of ['low', 'delayed']) {
      assert.equal(recorder.eventsOf(label), 'posted aborted');
    }
    assertConsistent(recorder);
  });

  it('are none if a draining refuses it, or its signal is aborted, when it is posted', async () => {
    const recorder = record();
    const held = scheduler.postTask(() => sleep(2), { label: 'held' });
    const counts = drain();
    const refused = scheduler.postTask(nothing, { label: 'refused', priority: 'background' });
    await assert.rejects(refused, { name: 'AbortError' });
    const aborted = scheduler.postTask(nothing, { signal: AbortSignal.abort(), label: 'aborted' });
    await assert.rejects(aborted, { name: 'AbortError' });
    await Promise.all([held, counts]);
    assert.deepEqual(recorder.messages.map(({ label }) => label), ['held']);
  });

  it('have aborted when a draining gives it up while it runs, and none after that', async () => {
    const recorder = record();
    const { task, finish } = await startedTask({ label: 'task' });
    await drain({ timeout: 5 });
    await assert.rejects(task, /timed out/);
    finish();
    await turn();
    assert.equal(recorder.eventsOf('task'), 'posted start end aborted asyncStart asyncEnd');
    assertConsistent(recorder);
  });

  for (const priority of PRIORITIES) {
    it(`have the priority ${priority} and the delay that it was posted with`, async () => {
      const recorder = record();
      await scheduler.postTask(nothing, { label: 'task', priority, delay: 3 });
      const message = recorder.message('task');
      assert.deepEqual([message.priority, message.delay], [priority, 3]);
      assert.ok(message.startedAt - message.postedAt >= 3);
      assertConsistent(recorder);
    });
  }

  it('have the priority that it started with once it has started', async () => {
    const recorder = record();
    const controller = new TaskController({ priority: 'background' });
    const task = scheduler.postTask(nothing, { label: 'task', signal: controller.signal });
    assert.equal(recorder.message('task').priority, 'background');
    controller.setPriority('user-blocking');
    await task;
    assert.equal(recorder.message('task').priority, 'user-blocking');
    assertConsistent(recorder);
  });

  it('have times by the clock of performance.now()', async () => {
    const recorder = record();
    const before = performance.now();
    let inside;
    const task = scheduler.postTask(() => (inside = performance.now()), { label: 'task' });
    const behind = performance.now();
    await task;
    const { postedAt, startedAt, endedAt } = recorder.message('task');
    const tolerance = 0.1;
    const times = [before, postedAt, behind, startedAt, inside, endedAt, performance.now()];
    for (let i = 1; i < times.length; i++) {
      assert.ok(times[i] >= times[i - 1] - tolerance, times.join(' '));
    }
  });

  it('have no delayed task start before it is queued', async () => {
    for (let round = 0; round < 20; round++) {
      // While these run, the scheduler chooses again and again: what is due starts at once.
      const others = Array.from({ length: 3000 }, () => scheduler.postTask(nothing));
      const recorder = record();
      const delayed = Array.from({ length: 50 }, () => {
        return scheduler.postTask(nothing, { delay: 1, priority: 'user-blocking' });
      });
      await Promise.all([...others, ...delayed]);
      recorder.end();
      assert.equal(recorder.messages.length, 50);
      for (const message of recorder.messages) assertTimes(message);
    }
  });

  it('are one object, with the same members from the start on', async () => {
    const shapes = new Set();
    const recorder = record((event, message) => shapes.add(Object.keys(message).join(' ')));
    await scheduler.postTask(async () => {
      await scheduler.yield();
    });
    assert.deepEqual([...shapes], [
      'id parentId priority isContinuation label delay postedAt queuedAt startedAt endedAt ' +
      'outcome result error',
    ]);
    assert.equal(recorder.messages.length, 2);
  });

  it('are none about idle callbacks, with and without a timeout', async () => {
    const recorder = record();
    await new Promise((resolve) => requestIdleCallback(resolve));
    await new Promise((resolve) => {
      let left = 50;
      requestIdleCallback(resolve, { timeout: 1 });
      const again = () => left-- > 0 && setImmediate(again);
      again();
    });
    assert.equal(recorder.log.length, 0);
  });
});

describe('the messages about a continuation', () => {
  separateTests();

  it('are posted, start, asyncStart, asyncEnd, and end when its code has paused', async () => {
    const recorder = record();
    let during;
    await scheduler.postTask(async () => {
      await scheduler.yield();
      during = recorder.eventsOf('task', true);
    }, { label: 'task' });
    await turn();
    assert.equal(during, 'posted start asyncStart asyncEnd');
    assert.equal(recorder.eventsOf('task', true), 'posted start asyncStart asyncEnd end');
    assertConsistent(recorder);
  });

  it('have the priority and the delay of a wait()', async () => {
    const recorder = record();
    await scheduler.wait(3, { priority: 'background' });
    await turn();
    const [{ priority, delay, isContinuation }] = recorder.messages;
    assert.deepEqual([priority, delay, isContinuation], ['background', 3, true]);
    assertConsistent(recorder);
  });

  for (const [name, options] of [
    ['a signal', (signal) => ({ signal })], ['an inherited one', () => undefined],
  ]) {
    it(`are posted and aborted if ${name} aborts it`, async () => {
      const recorder = record();
      const controller = new TaskController();
      const { signal } = controller;
      const task = scheduler.postTask(async () => {
        const paused = scheduler.yield(options(signal));
        controller.abort('reason');
        await paused;
      }, { label: 'task', signal: name === 'a signal' ? undefined : signal });
      assert.deepEqual(await settled(task), ['rejected', 'reason']);
      assert.equal(recorder.eventsOf('task', true), 'posted aborted');
    });
  }

  it('are posted and aborted if a draining rejects it at its timeout', async () => {
    const recorder = record();
    const paused = scheduler.wait(10_000);
    await drain({ timeout: 1 });
    await assert.rejects(paused, /timed out/);
    const [message] = recorder.messages;
    assert.equal(recorder.events(message).join(' '), 'posted aborted');
    assertConsistent(recorder);
  });

  it('have the label of its task and its id as parentId, however many there are', async () => {
    const recorder = record();
    await scheduler.postTask(async () => {
      for (let i = 0; i < 3; i++) await scheduler.yield();
    }, { label: 'task' });
    const [task, ...continuations] = recorder.messages;
    assert.equal(continuations.length, 3);
    for (const { label, parentId } of continuations) {
      assert.deepEqual([label, parentId], ['task', task.id]);
    }
  });

  for (const [name, wait] of [
    ['I/O', () => stat(__filename)], ['a timer', () => sleep(1)], ['an immediate', () => turn()],
  ]) {
    it(`have the label and the id of its task also after it has awaited ${name}`, async () => {
      const recorder = record();
      await scheduler.postTask(async () => {
        await wait();
        await scheduler.yield();
        await wait();
        await scheduler.wait(1);
      }, { label: 'task' });
      const [task, ...continuations] = recorder.messages;
      assert.equal(continuations.length, 2);
      for (const { label, parentId } of continuations) {
        assert.deepEqual([label, parentId], ['task', task.id]);
      }
    });
  }

  it('have the name of its task\'s callback, also after that has returned', async () => {
    const recorder = record();
    await scheduler.postTask(async function work() {
      await turn();
      await scheduler.yield();
    });
    assert.equal(recorder.message('work', true).parentId, recorder.message('work').id);
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

  it('is the id of the task that posted it', async () => {
    const recorder = record();
    await scheduler.postTask(async () => {
      await turn();
      await scheduler.postTask(nothing, { label: 'inner' });
    }, { label: 'outer' });
    assert.equal(recorder.message('outer').parentId, undefined);
    assert.equal(recorder.message('inner').parentId, recorder.message('outer').id);
  });

  it('is undefined if a timer of the task or an event posted it @async-ids', async () => {
    const recorder = record();
    await scheduler.postTask(() => new Promise((resolve) => {
      setTimeout(() => resolve(scheduler.postTask(nothing, { label: 'inner' })), 1);
    }), { label: 'outer' });
    assert.equal(recorder.message('inner').parentId, undefined);
  });
});

describe('the label of a task', () => {
  separateTests();

  const labelOf = async (callback, options) => {
    const recorder = record();
    await scheduler.postTask(callback, options);
    return recorder.messages[0].label;
  };

  it('is the option of postTask(), converted to a string', async () => {
    assert.equal(await labelOf(function name() {}, { label: 'label' }), 'label');
    assert.equal(await labelOf(function name() {}, { label: '' }), '');
    assert.equal(await labelOf(function name() {}, { label: 12 }), '12');
  });

  it('is the name of the callback by default', async () => {
    assert.equal(await labelOf(function name() {}), 'name');
    assert.equal(await labelOf(() => {}), '');
    assert.equal(await labelOf(nothing.bind()), 'bound nothing');
  });

  it('has 120 characters at most', async () => {
    const long = 'x'.repeat(121);
    assert.equal(await labelOf(nothing, { label: long }), long.slice(1));
    assert.equal(await labelOf(nothing, { label: long.slice(1) }), long.slice(1));
    const named = Object.defineProperty(() => {}, 'name', { value: long });
    assert.equal(await labelOf(named), long.slice(1));
  });

  it('is empty if the name is an accessor, which is not called', async () => {
    const callback = Object.defineProperty(() => {}, 'name', { get: assert.fail });
    assert.equal(await labelOf(callback), '');
  });

  it('is empty if the name is inherited', async () => {
    const callback = () => {};
    delete callback.name;
    Object.setPrototypeOf(callback, { name: 'inherited' });
    assert.equal(await labelOf(callback), '');
  });

  for (const value of [undefined, null, 1, Symbol('name'), { toString: assert.fail }]) {
    it(`is empty if the name is of the type ${value === null ? null : typeof value}`, async () => {
      assert.equal(await labelOf(Object.defineProperty(() => {}, 'name', { value })), '');
    });
  }

  it('is empty for a Proxy, whose traps are not called', async () => {
    const traps = { getOwnPropertyDescriptor: assert.fail, get: assert.fail, has: assert.fail };
    assert.equal(await labelOf(new Proxy(function name() {}, traps)), '');
  });

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

describe('the ids of messages', () => {
  separateTests();

  it('are unique and ascend in the order of the posts', async () => {
    const recorder = record();
    await Promise.all(Array.from({ length: 50 }, () => scheduler.postTask(async () => {
      await scheduler.yield();
    })));
    const ids = recorder.log.filter(([event]) => event === 'posted').map(([, { id }]) => id);
    assert.equal(new Set(ids).size, 100);
    assert.deepEqual(ids, [...ids].sort((one, other) => one - other));
  });
});
