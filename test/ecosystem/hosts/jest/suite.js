'use strict';

// The package in a context of any environment of jest, in the way that WAY names. The fake timers
// leave the globals of register alone.

/* global WAY, expect, jest */

const { testWay } = require('../../../fixtures/runners/ways.js');

const load = () => require('../../../..');
const clock = {
  install: () => jest.useFakeTimers(),
  advance: (milliseconds) => jest.advanceTimersByTime(milliseconds),
  uninstall: () => jest.useRealTimers(),
};
testWay(WAY, it, { clock, load });

if (WAY === 'registered') {
  it('a module registry that was reset keeps the globals', () => {
    const { requestIdleCallback, scheduler } = globalThis;
    jest.resetModules();
    jest.isolateModules(() => {
      require('../../../../register.js');
      expect(load().scheduler).toBe(scheduler);
    });
    expect(globalThis.scheduler).toBe(scheduler);
    expect(globalThis.requestIdleCallback).toBe(requestIdleCallback);
  });
}
