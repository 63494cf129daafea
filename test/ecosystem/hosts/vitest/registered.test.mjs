// The globals that register installs as one of vitest's setupFiles.

import assert from 'node:assert';
import { test, vi } from 'vitest';
import api from '../../../../dist/index.js';
import runners from '../../../fixtures/runners/suite.js';
import timers from '../../../fixtures/runners/fake-timers.js';

for (const [name, check] of Object.entries(runners.suite)) test(name, () => check(globalThis));

// Unless it gets a list, vitest also fakes requestIdleCallback.
const toFake = [
  'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate',
  'Date', 'performance',
];
const clock = {
  install: () => vi.useFakeTimers({ toFake }),
  advance: (milliseconds) => vi.advanceTimersByTime(milliseconds),
  uninstall: () => vi.useRealTimers(),
};
timers.testFakeTimers(test, clock, () => globalThis);

test('vitest fakes requestIdleCallback, gives it back, and leaves the scheduler alone', () => {
  vi.useFakeTimers();
  const { requestIdleCallback, scheduler } = globalThis;
  vi.useRealTimers();
  assert.notEqual(requestIdleCallback, api.requestIdleCallback);
  assert.equal(globalThis.requestIdleCallback, api.requestIdleCallback);
  assert.equal(scheduler, api.scheduler);
});
