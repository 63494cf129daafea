'use strict';

// The globals of a process that has preloaded register: jest copies them from outside into the
// context of a test file, and the fake timers take them for timers.

/* global expect, jest */

const api = require('../../../..');

const { TaskController, requestIdleCallback, scheduler } = globalThis;

it('the globals come from outside the context', () => {
  expect(scheduler).not.toBe(api.scheduler);
  expect(scheduler).toBeInstanceOf(globalThis.Scheduler);
  expect(new TaskController()).toBeInstanceOf(AbortController);
});

// The package that the test file loads has queues of its own, as in every context.
it('they have one order', async () => {
  const { signal } = new TaskController({ priority: 'user-blocking' });
  const ran = [];
  const log = (name) => () => ran.push(name);
  await Promise.all([
    new Promise((resolve) => requestIdleCallback(resolve)).then(log('idle')),
    scheduler.postTask(log('background'), { priority: 'background' }),
    scheduler.postTask(log('user-visible')),
    scheduler.postTask(log('user-blocking'), { signal }),
    api.scheduler.postTask(() => {}),
  ]);
  expect(ran).toEqual(['user-blocking', 'user-visible', 'background', 'idle']);
});

it('fake timers leave them alone if they are told to', async () => {
  jest.useFakeTimers({ doNotFake: ['scheduler', 'requestIdleCallback', 'cancelIdleCallback'] });
  try {
    expect(globalThis.scheduler).toBe(scheduler);
    expect(globalThis.requestIdleCallback).toBe(requestIdleCallback);
    expect(await globalThis.scheduler.postTask(() => 'ran', { delay: 2 })).toBe('ran');
  } finally {
    jest.useRealTimers();
  }
});
