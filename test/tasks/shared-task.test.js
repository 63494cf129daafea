'use strict';

// SharedTask: when its callback runs, what its joins are settled with, and what ends one early.
// shared-task-priority.test.js tests how urgent a run is.

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const { Worker } = require('node:worker_threads');
const { SharedTask, onIdle, scheduler } = require('../..');
const { controlled, started } = require('../helpers/shared-tasks.js');
const {
  PRIORITIES, PolyfillSignal, ROOT, foreignSignal, settled,
} = require('../helpers/tasks.js');

const membersOf = ({ priority, joined, isRunning }) => [priority, joined, isRunning];

describe('a SharedTask', () => {
  beforeEach(() => onIdle());

  it('calls its callback in a task, without receiver and arguments', async () => {
    const calls = [];
    const task = new SharedTask(function callback(...args) {
      calls.push([this, ...args]);
      return 'result';
    });
    const promise = task.join();
    assert.deepEqual(calls, []);
    assert.equal(await promise, 'result');
    assert.deepEqual(calls, [[undefined]]);
  });

  it('runs once for all that join until it has settled, and anew for the next', async () => {
    const { task, runs } = controlled();
    const early = [task.join(), task.join({ priority: 'background' })];
    await started(runs);
    const { signal } = new AbortController();
    const late = [task.join(), task.join({ signal }), task.join({ priority: 'user-blocking' })];
    const result = {};
    runs[0].resolve(result);
    for (const each of await Promise.all([...early, ...late])) assert.equal(each, result);
    const again = task.join();
    await started(runs, 2);
    runs[1].resolve('another');
    assert.equal(await again, 'another');
  });

  it('runs anew for a join of those that have waited, whatever settles the run', async () => {
    const bodies = {
      'a value': () => 1,
      'a promise': async () => 1,
      'an error': () => {
        throw new Error('failed');
      },
      'a rejection': async () => {
        throw new Error('failed');
      },
    };
    for (const [name, body] of Object.entries(bodies)) {
      let runs = 0;
      const task = new SharedTask(() => {
        runs++;
        return body();
      });
      const rejoin = () => task.join();
      await settled(task.join().then(rejoin, rejoin));
      assert.equal(runs, 2, name);
      assert.equal(task.isRunning, false);
    }
  });

  it('counts a run as over in the microtasks of a callback that has returned', async () => {
    let runs = 0;
    let second;
    const task = new SharedTask(() => {
      runs++;
      if (runs === 1) queueMicrotask(() => (second = task.join()));
      return runs;
    });
    assert.equal(await task.join(), 1);
    assert.equal(await second, 2);
  });

  it('rejects all that wait with the error of the run, the very object', async () => {
    const { task, runs } = controlled();
    const { signal } = new AbortController();
    const joins = [task.join(), task.join({ signal }), task.join()].map(settled);
    await started(runs);
    const reason = { not: 'an error' };
    runs[0].reject(reason);
    for (const [outcome, value] of await Promise.all(joins)) {
      assert.equal(outcome, 'rejected');
      assert.equal(value, reason);
    }
  });

  it('says how many wait, with which priority, and whether a run is under way', async () => {
    const { task, runs } = controlled({ priority: 'background' });
    assert.deepEqual(membersOf(task), ['background', 0, false]);
    const controller = new AbortController();
    const { signal } = controller;
    const joins = [task.join(), task.join({ priority: 'user-blocking', signal })].map(settled);
    assert.deepEqual(membersOf(task), ['user-blocking', 2, true]);
    await started(runs);
    controller.abort();
    assert.deepEqual(membersOf(task), ['user-visible', 1, true]);
    runs[0].resolve();
    await Promise.all(joins);
    assert.deepEqual(membersOf(task), ['background', 0, false]);
  });

  it('has a join() that needs no receiver', async () => {
    const task = new SharedTask(() => 'result');
    const { join } = task;
    assert.equal(task.join, join);
    assert.equal(await join(), 'result');
    assert.equal(await join.call({}), 'result');
    assert.deepEqual(await Promise.all([undefined, null, {}].map(join)), Array(3).fill('result'));
  });

  it('can be extended', async () => {
    class Counting extends SharedTask {
      joins = 0;

      join(options) {
        this.joins++;
        return super.join(options);
      }
    }
    const task = new Counting(() => 'result');
    assert.equal(await task.join(), 'result');
    assert.equal(task.joins, 1);
  });

  it('runs with the AsyncLocalStorage values of the join that began the run', async () => {
    const storage = new AsyncLocalStorage();
    const task = new SharedTask(async () => {
      const first = storage.getStore();
      await scheduler.yield();
      return [first, storage.getStore()];
    });
    const join = (name) => storage.run(name, () => task.join());
    const results = await Promise.all(['a', 'b'].map(join));
    assert.deepEqual(results, [['a', 'a'], ['a', 'a']]);
    assert.deepEqual(await join('c'), ['c', 'c']);
  });

  it('is joined by a thousand', async () => {
    const { task, runs } = controlled();
    const controllers = Array.from({ length: 500 }, () => new AbortController());
    const leaving = controllers.map(({ signal }) => settled(task.join({ signal })));
    const staying = Array.from({ length: 500 }, (_, index) => {
      return task.join({ priority: PRIORITIES[index % 3] });
    });
    assert.equal(task.joined, 1000);
    for (const [index, controller] of controllers.entries()) controller.abort(index);
    assert.equal(task.joined, 500);
    const left = await Promise.all(leaving);
    assert.deepEqual(left, controllers.map((_, index) => ['rejected', index]));
    await started(runs);
    runs[0].resolve('result');
    assert.deepEqual(await Promise.all(staying), Array(500).fill('result'));
  });

  it('works in a worker, which has shared tasks of its own', async () => {
    const worker = new Worker(`
      const { parentPort, workerData } = require('node:worker_threads');
      const { SharedTask } = require(workerData);
      const task = new SharedTask(() => 'result');
      Promise.all([task.join(), task.join()]).then((all) => parentPort.postMessage(all));
    `, { eval: true, workerData: ROOT });
    const [message] = await require('node:events').once(worker, 'message');
    assert.deepEqual(message, ['result', 'result']);
    await worker.terminate();
  });

  it('hands its result to those that wait before a run that comes meanwhile starts', async () => {
    const log = [];
    const task = new SharedTask(async () => {
      log.push('run');
      await scheduler.yield();
    });
    const joins = [1, 2].map((name) => task.join().then(() => {
      log.push(name);
      return name === 1 ? task.join() : undefined;
    }));
    await Promise.all(joins);
    assert.deepEqual(log, ['run', 1, 2, 'run']);
  });
});

describe('the signal of a join()', () => {
  beforeEach(() => onIdle());

  const kinds = {
    'of this realm': () => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
    },
    'of another realm': () => {
      const signal = foreignSignal();
      return { signal, abort: (reason) => signal.abort(reason) };
    },
    'of a polyfill': () => {
      const signal = new PolyfillSignal();
      return { signal, abort: (reason) => signal.abort(reason) };
    },
  };
  for (const [kind, make] of Object.entries(kinds)) {
    it(`ends only that wait, with its reason: ${kind}`, async () => {
      const { task, runs } = controlled();
      const { signal, abort } = make();
      const left = settled(task.join({ signal }));
      const stayed = task.join();
      await started(runs);
      const reason = { why: 'enough' };
      abort(reason);
      const [outcome, value] = await left;
      assert.equal(outcome, 'rejected');
      assert.equal(value, reason);
      assert.equal(task.joined, 1);
      runs[0].resolve('result');
      assert.equal(await stayed, 'result');
    });
  }

  it('that is aborted already rejects at once and begins nothing', async () => {
    const { task, runs } = controlled();
    const reason = new Error('gone');
    await assert.rejects(task.join({ signal: AbortSignal.abort(reason) }), (e) => e === reason);
    assert.deepEqual(membersOf(task), ['background', 0, false]);
    await onIdle();
    assert.equal(runs.length, 0);
  });

  it('does nothing once the run has settled', async () => {
    const controller = new AbortController();
    const task = new SharedTask(() => 'result');
    const promise = task.join({ signal: controller.signal });
    assert.equal(await promise, 'result');
    controller.abort();
    assert.equal(await promise, 'result');
    assert.equal(task.joined, 0);
  });

  it('ends the wait while other listeners stop the event @own-listeners', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    signal.addEventListener('abort', (event) => event.stopImmediatePropagation());
    const { task, runs } = controlled();
    const promise = settled(task.join({ signal }));
    controller.abort('mine');
    assert.deepEqual(await promise, ['rejected', 'mine']);
    await started(runs);
    runs[0].resolve();
  });

  it('that throws when it is asked counts as not aborted', async () => {
    let hasBegun = false;
    const signal = {
      get aborted() {
        if (hasBegun) throw new Error('hostile');
        return false;
      },
      addEventListener() {
        hasBegun = true;
      },
    };
    const task = new SharedTask(() => 'result');
    assert.equal(await task.join({ signal }), 'result');
  });

  it('that takes no listener rejects, and begins nothing', async () => {
    const error = new Error('hostile');
    const signal = { aborted: false, addEventListener() {
      throw error;
    } };
    const { task, runs } = controlled();
    await assert.rejects(task.join({ signal }), (e) => e === error);
    const unreadable = { get aborted() {
      throw error;
    } };
    await assert.rejects(task.join({ signal: unreadable }), (e) => e === error);
    assert.deepEqual(membersOf(task), ['background', 0, false]);
    await onIdle();
    assert.equal(runs.length, 0);
  });

  it('that is aborted while it is asked begins nothing', async () => {
    let reads = 0;
    const reason = new Error('mine');
    const signal = { reason, addEventListener() {}, get aborted() {
      return ++reads >= 3;
    } };
    const { task } = controlled();
    await assert.rejects(task.join({ signal }), (e) => e === reason);
    assert.deepEqual(membersOf(task), ['background', 0, false]);
  });

  it('gets no listener that stays', async () => {
    const { signal } = new AbortController();
    const task = new SharedTask(() => {});
    for (let count = 0; count < 5; count++) await task.join({ signal });
    // The listener is removed at the end of a check phase.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const { getEventListeners } = require('node:events');
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});
