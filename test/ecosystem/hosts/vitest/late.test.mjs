// The package loaded when vitest has faked all it can.

import { test, vi } from 'vitest';
import timers from '../../../fixtures/runners/fake-timers.js';

const api = await fakedWhile(() => import('../../../../dist/index.js'));

async function fakedWhile(load) {
  vi.useFakeTimers();
  try {
    return (await load()).default;
  } finally {
    vi.useRealTimers();
  }
}

const clock = {
  install: () => vi.useFakeTimers(),
  advance: (milliseconds) => vi.advanceTimersByTime(milliseconds),
  uninstall: () => vi.useRealTimers(),
};
timers.testFakeTimers(test, clock, () => api);
