'use strict';

// The package's reaction to an aborted signal, wherever it takes a signal: only `signal.aborted`
// counts, other listeners cannot stop it, and few listeners on the signal do for everything. More
// about tasks is in abort.test.js, and about reportSlowTasks() in watch/slow-tasks.test.js.

const assert = require('node:assert/strict');
const { getEventListeners } = require('node:events');
const { setImmediate: turn } = require('node:timers/promises');
const { SharedTask, TaskSignal, currentTaskSignal, drain, onIdle, scheduler } = require('../..');
const { controllerFor } = require('uv-scheduler/http');
const { JobRun } = require('../../integrations/bullmq/job-run.js');

const stop = (event) => event.stopImmediatePropagation();

// The result of `TaskSignal.any([signal])` where the host has no `AbortSignal.any`, as in jest 29.
function anyWithoutHost(signal) {
  const { any } = AbortSignal;
  AbortSignal.any = undefined;
  try {
    return TaskSignal.any([signal]);
  } finally {
    AbortSignal.any = any;
  }
}

function follow(signal, aborted) {
  signal.addEventListener('abort', () => aborted(signal.reason));
}

// Each function begins an operation with a signal, and calls `aborted(reason)` when it is aborted.
const OPERATIONS = {
  'postTask()': (signal, aborted) => {
    scheduler.postTask(() => {}, { signal, delay: 60_000 }).catch(aborted);
  },
  'a join()': (signal, aborted) => {
    const untilAborted = () => new Promise((resolve) => {
      currentTaskSignal().addEventListener('abort', resolve);
    });
    new SharedTask(untilAborted, { abortWhenUnused: true }).join({ signal }).catch(aborted);
  },
  'scheduler.wait()': (signal, aborted) => {
    scheduler.wait(60_000, { signal }).catch(aborted);
  },
  'onIdle()': (signal, aborted) => {
    onIdle({ signal }).catch(aborted);
  },
  'drain()': (signal, aborted) => {
    drain({ signal }).catch(aborted);
  },
  'TaskSignal.any() without the host’s': (signal, aborted) => {
    follow(anyWithoutHost(signal), aborted);
  },
  'controllerFor()': (signal, aborted) => {
    follow(controllerFor(signal).signal, aborted);
  },
  'a job of an IdleWorker': (signal, aborted) => {
    const run = new JobRun({ patience: 1000 });
    run.follow(signal);
    follow(run.signal, aborted);
  },
};

describe('the signal of', () => {
  // onIdle() and drain() wait for it.
  let finish;
  let controller;
  let signal;
  let reasons;
  const aborted = (reason) => reasons.push(reason);

  beforeEach(() => {
    controller = new AbortController();
    ({ signal } = controller);
    reasons = [];
    scheduler.postTask(() => new Promise((resolve) => {
      finish = resolve;
    }), { priority: 'user-blocking' });
    return turn();
  });

  afterEach(() => finish());

  for (const [name, begin] of Object.entries(OPERATIONS)) {
    for (const [title, listener] of [
      ['aborts by an abort, and not by an event that is dispatched', () => {}],
      ['cannot be silenced by another listener @own-listeners', stop],
    ]) {
      it(`${name} ${title}`, async () => {
        signal.addEventListener('abort', listener);
        begin(signal, aborted);
        for (let count = 0; count < 3; count++) {
          signal.dispatchEvent(new Event('abort'));
          await turn();
        }
        assert.deepEqual(reasons, []);
        controller.abort('mine');
        await turn();
        assert.deepEqual(reasons, ['mine']);
      });
    }

    it(`${name} gets one listener, however often it is used`, async () => {
      for (let count = 0; count < 11; count++) begin(signal, aborted);
      assert.equal(getEventListeners(signal, 'abort').length, 1);
      controller.abort('mine');
      await turn();
      assert.deepEqual(reasons, Array(11).fill('mine'));
    });
  }
});

// Each runs an operation with a signal to its end.
const ENDED = {
  'postTask()': (signal) => scheduler.postTask(() => {}, { signal }),
  'yield()': (signal) => scheduler.yield({ signal }),
  'wait()': (signal) => scheduler.wait(1, { signal }),
  'a join()': (signal) => new SharedTask(() => {}).join({ signal }),
  'onIdle()': (signal) => {
    scheduler.postTask(() => {});
    return onIdle({ signal });
  },
  'drain()': (signal) => {
    scheduler.postTask(() => {});
    return drain({ signal });
  },
};

describe('the listener of', () => {
  for (const [name, run] of Object.entries(ENDED)) {
    it(`${name} is removed from the signal when it has ended`, async () => {
      const { signal } = new AbortController();
      const listeners = () => getEventListeners(signal, 'abort').length;
      for (let round = 0; round < 2; round++) {
        const ended = run(signal);
        assert.equal(listeners(), 1);
        await ended;
        // At the end of a check phase.
        await turn();
        await turn();
        assert.equal(listeners(), 0);
      }
    });
  }
});
