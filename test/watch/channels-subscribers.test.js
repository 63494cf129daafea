'use strict';

// Subscribers of the diagnostics channels of tasks may call everything, inside of messages and
// outside: no task is lost, and every message is consistent. channels.test.js tests the messages.
// @host portable

const assert = require('node:assert/strict');
const { setImmediate: turn } = require('node:timers/promises');
const { TaskController, drain, onIdle, scheduler } = require('../..');
const { monitorTasks } = require('uv-scheduler/watch');
const { contexts } = require('../../lib/watch/channels.js');
const { PolyfillSignal, output, settled, startedTask } = require('../helpers/tasks.js');
const {
  assertConsistent, assertTimes, boundStore, enabledMonitor, record, separateTests, until,
} = require('../helpers/watch.js');

const nothing = () => {};

describe('a subscriber', () => {
  separateTests();

  it('may bind a store to `start`: for the callback and what follows, and else not', async () => {
    const store = boundStore(({ label }) => `store of ${label}`);
    const seen = await scheduler.postTask(async () => {
      const before = store.getStore();
      await turn();
      return [before, store.getStore()];
    }, { label: 'task' });
    assert.deepEqual(seen, ['store of task', 'store of task']);
    assert.equal(store.getStore(), undefined);
  });

  for (const what of ['', ', with a store that is bound to `start`']) {
    it(`may post a task for each message and is not called inside of itself${what}`, async () => {
      if (what !== '') boundStore();
      let depth = 0;
      let left = 20;
      let isOver = false;
      const recorder = record((event) => {
        assert.equal(depth++, 0);
        // One for each that was posted does not hold the thread.
        const isToPost = event === 'posted' && !isOver || left-- > 0;
        if (isToPost) scheduler.postTask(nothing, { priority: 'background' });
        depth--;
      });
      await scheduler.postTask(nothing);
      await until(() => recorder.log.length > 100);
      isOver = true;
      await onIdle();
      await turn();
      assertConsistent(recorder);
    });
  }

  for (const event of ['posted', 'start', 'end', 'error', 'asyncStart', 'asyncEnd']) {
    it(`may abort a task inside of ${event}, and it settles once`, async () => {
      const monitor = enabledMonitor();
      const controller = new TaskController();
      const recorder = record((name) => {
        if (name === event) controller.abort('reason');
      });
      const callback = () => { throw new Error('failed'); };
      const options = { label: 'task', signal: controller.signal };
      const [, reason] = await settled(scheduler.postTask(callback, options));
      // The abort steps are registered until the callback has returned and that is published.
      const isInTime = ['posted', 'start', 'end'].includes(event);
      assert.equal(reason === 'reason', isInTime);
      await turn();
      assertConsistent(recorder);
      const { completed, failed, aborted } = monitor.priorities['user-visible'];
      assert.deepEqual([completed, failed, aborted], isInTime ? [0, 0, 1] : [0, 1, 0]);
    });
  }

  it('may abort or move the task that starts when a continuation has ended', async () => {
    const monitor = enabledMonitor();
    for (const act of ['abort', 'setPriority']) {
      const controller = new TaskController({ priority: 'user-visible' });
      const recorder = record((event, { isContinuation }) => {
        if (event === 'end' && isContinuation) controller[act]('background');
      });
      const paused = scheduler.yield();
      const task = scheduler.postTask(() => 'value', { signal: controller.signal });
      const later = scheduler.postTask(() => 'later', { priority: 'background' });
      const [, result] = await settled(task);
      assert.equal(result, act === 'abort' ? 'background' : 'value');
      assert.equal(await later, 'later');
      await paused;
      recorder.end();
      await turn();
    }
    const { aborted, completed } = monitor.priorities['user-visible'];
    const of = monitor.priorities.background;
    assert.deepEqual([aborted, completed, of.completed], [1, 2, 3]);
  });

  it('that throws causes an uncaught exception, and no task is lost', async () => {
    const lines = await output(async (root) => {
      const { TaskController, onIdle, scheduler } = require(root);
      const { record } = require(`${root}/test/helpers/watch.js`);
      let [thrown, caught] = [0, 0];
      record(() => {
        thrown++;
        throw new Error('of a subscriber');
      });
      process.on('uncaughtException', ({ message }) => {
        if (message === 'of a subscriber') caught++;
      });
      const outcomes = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => {
        const controller = new TaskController();
        const { signal } = controller;
        const task = scheduler.postTask(async () => {
          if (i % 3 === 0) throw new Error('failed');
          await scheduler.yield();
        }, i % 2 === 0 ? { priority: 'background' } : { signal });
        if (i % 10 === 1) controller.abort();
        return task;
      }));
      await onIdle();
      setImmediate(() => {
        const fulfilled = outcomes.filter(({ status }) => status === 'fulfilled').length;
        console.log(fulfilled, thrown === caught, thrown > 500);
      });
    });
    // 34 are to fail, and 10 are aborted, of which 3 were to fail.
    assert.deepEqual(lines, ['59 true true']);
  });

  it('may unsubscribe inside of any message, and hears all of a single channel', async () => {
    for (const last of ['posted', 'start', 'end', 'asyncStart', 'asyncEnd']) {
      const single = record(nothing, [last]);
      const recorder = record((event) => {
        if (event === last) recorder.end();
      });
      const value = await scheduler.postTask(async () => {
        await scheduler.yield();
        return 'value';
      }, { label: 'task' });
      assert.equal(value, 'value');
      await turn();
      assert.equal(recorder.log.at(-1)[0], last);
      assert.equal(single.eventsOf('task'), last);
      single.end();
    }
  });

  it('hears nothing of tasks that were posted before', async () => {
    const task = scheduler.postTask(async () => {
      await turn();
    }, { label: 'early' });
    const paused = scheduler.yield();
    const recorder = record();
    await Promise.all([task, paused, scheduler.postTask(nothing, { label: 'late' })]);
    assert.deepEqual(recorder.messages.map(({ label }) => label), ['late']);
    assertConsistent(recorder);
  });

  it('may stop while a foreign signal is asked', async () => {
    const signal = new PolyfillSignal();
    const post = (options) => scheduler.postTask(() => 'value', options);
    for (const [use, expected] of [[post, 'value'], [scheduler.yield, undefined]]) {
      const recorder = record();
      const monitor = enabledMonitor();
      signal.addEventListener = () => {
        recorder.end();
        monitor.disable();
      };
      assert.equal(await use.call(scheduler, { signal }), expected);
    }
  });

  it('hears nothing of a task that a foreign signal aborts while it is posted', async () => {
    const recorder = record();
    const signal = new PolyfillSignal();
    signal.addEventListener = () => (signal.aborted = true);
    const [how] = await settled(scheduler.postTask(assert.fail, { signal }));
    assert.equal(how, 'rejected');
    assert.deepEqual(recorder.log, []);
  });
});

describe('who does not subscribe to `posted`', () => {
  separateTests();

  const later = ['start', 'end', 'asyncStart', 'asyncEnd', 'error', 'aborted'];

  it('gets messages that tell all about the post, with ids in the order of posts', async () => {
    const recorder = record(nothing, later);
    const before = performance.now();
    const work = scheduler.postTask(async () => {
      await turn();
      await scheduler.postTask(function inner() {}, { priority: 'background' });
    }, { label: 'outer' });
    scheduler.postTask(nothing, { label: 'first', priority: 'user-blocking' });
    await work;
    assert.equal(recorder.log[0][1].label, 'first');
    const { messages } = recorder;
    assert.deepEqual(messages.map(({ label, priority, parentId }) => [label, priority, parentId]), [
      ['outer', 'user-visible', undefined],
      ['first', 'user-blocking', undefined],
      ['inner', 'background', messages[0].id],
    ]);
    for (const message of messages) {
      assertTimes(message);
      assert.ok(message.postedAt >= before - 0.1);
      assert.equal(recorder.events(message).join(' '), 'start end asyncStart asyncEnd');
    }
  });

  it('hears of tasks that a draining rejects while they wait', async () => {
    const recorder = record(nothing, later);
    const task = scheduler.postTask(assert.fail, { label: 'low', priority: 'background' });
    const counts = drain();
    await assert.rejects(task, { name: 'AbortError' });
    await counts;
    assert.equal(recorder.eventsOf('low'), 'aborted');
    const message = recorder.message('low');
    assert.deepEqual([message.priority, message.startedAt], ['background', undefined]);
    assertTimes(message);
  });

  it('hears of tasks that wait and run while nothing watches in between', async () => {
    const first = record(nothing, later);
    const { task: runs, finish } = await startedTask({ label: 'runs' });
    const waiting = scheduler.postTask(nothing, { label: 'waiting' });
    first.end();
    const monitor = monitorTasks();
    monitor.enable();
    monitor.disable();
    assert.equal(contexts()[0].observers.watch, undefined);
    const second = record(nothing, later);
    finish();
    // The first post begins to watch.
    await Promise.all([waiting, runs, scheduler.postTask(nothing)]);
    assert.equal(second.eventsOf('waiting'), 'start end asyncStart asyncEnd');
    assert.equal(second.eventsOf('runs'), 'asyncStart asyncEnd');
    assertTimes(second.message('waiting'));
  });
});
