'use strict';

// The package in a context of any environment of jest, in the way that WAY names: its tests, and
// what jest does to modules. The files of all projects run in one process, each in a context.

/* global WAY, expect, jest */

const { PRIORITIES } = require('../../../fixtures/runners/suite.js');
const { testWay } = require('../../../fixtures/runners/ways.js');

const BINDING = Symbol.for('uv-scheduler.binding');
const isNew = globalThis[BINDING] === undefined;

const load = () => require('../../../..');
// The fake timers leave the globals of register alone.
const clock = {
  install: () => jest.useFakeTimers(),
  advance: (milliseconds) => jest.advanceTimersByTime(milliseconds),
  uninstall: () => jest.useRealTimers(),
};
testWay(WAY, it, { clock, load });

it('a context has exactly one scheduler, of its own', () => {
  expect(isNew).toBe(WAY !== 'registered');
  load();
  expect(globalThis[BINDING].size).toBe(1);
});

it('a module registry that was reset loads the existing scheduler, and keeps globals', async () => {
  const { scheduler } = load();
  const { requestIdleCallback } = globalThis;
  jest.resetModules();
  jest.isolateModules(() => {
    if (WAY === 'registered') require('../../../../register.js');
    expect(load().scheduler).toBe(scheduler);
  });
  expect(globalThis.requestIdleCallback).toBe(requestIdleCallback);
  const again = load();
  expect(again.scheduler).toBe(scheduler);
  const ran = [];
  await Promise.all([
    scheduler.postTask(() => ran.push('older')),
    again.scheduler.postTask(() => ran.push('younger')),
    again.scheduler.postTask(() => ran.push('urgent'), { priority: 'user-blocking' }),
  ]);
  expect(ran).toEqual(['urgent', 'older', 'younger']);
});

it('tasks that are left behind do not disturb the next file', () => {
  const { TaskController, scheduler } = load();
  for (const priority of PRIORITIES) {
    for (const delay of [0, 1, 20]) {
      scheduler.postTask(() => scheduler.yield(), { priority, delay });
    }
    const { signal } = new TaskController({ priority });
    scheduler.postTask(() => scheduler.postTask(() => {}, { priority }), { signal });
  }
});
