'use strict';

// The globals that register installs as one of jest's setupFiles. The fake timers leave them alone.

/* global expect, jest */

const { suite } = require('../../../fixtures/runners/suite.js');
const { testFakeTimers } = require('../../../fixtures/runners/fake-timers.js');
const clock = require('./clock.js');

for (const [name, check] of Object.entries(suite)) it(name, () => check(globalThis));

testFakeTimers(it, clock, () => globalThis);

it('a module registry that was reset keeps the globals', () => {
  const { requestIdleCallback, scheduler } = globalThis;
  jest.resetModules();
  jest.isolateModules(() => {
    require('../../../../register.js');
    expect(require('../../../..').scheduler).toBe(scheduler);
  });
  expect(globalThis.scheduler).toBe(scheduler);
  expect(globalThis.requestIdleCallback).toBe(requestIdleCallback);
});
