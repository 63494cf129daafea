'use strict';

// The suite in a context of jest, and what jest does to modules and clocks. second.jest.js runs in
// the same process, in another context.

/* global expect, jest */

const BINDING = Symbol.for('uv-scheduler.binding');
const isNew = globalThis[BINDING] === undefined;
const load = () => require('../../../..');
const api = load();
const { PRIORITIES, suite } = require('../../../fixtures/runners/suite.js');

const { scheduler } = api;

describe('the suite', () => {
  for (const [name, check] of Object.entries(suite)) it(name, () => check(api));
});

it('a context has exactly one scheduler, of its own', () => {
  expect(isNew).toBe(true);
  expect(globalThis[BINDING].size).toBe(1);
});

it('a module registry that was reset loads the existing scheduler', async () => {
  jest.resetModules();
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

it('an isolated module registry loads the existing scheduler', () => {
  jest.isolateModules(() => expect(load().scheduler).toBe(scheduler));
});

it('tasks that are left behind do not disturb the next file', () => {
  for (const priority of PRIORITIES) {
    for (const delay of [0, 1, 20]) {
      scheduler.postTask(() => scheduler.yield(), { priority, delay });
    }
    const { signal } = new api.TaskController({ priority });
    scheduler.postTask(() => scheduler.postTask(() => {}, { priority }), { signal });
  }
});
