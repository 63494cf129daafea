// The package in a pool of vitest, in the way that WAY names.

import { test, vi } from 'vitest';
import ways from '../../../fixtures/runners/ways.js';

const { WAY } = process.env;

if (WAY === 'late') vi.useFakeTimers();
const { default: api } = await import('../../../../dist/index.js');
vi.useRealTimers();

// Unless it gets a list, vitest also fakes requestIdleCallback.
const toFake = [
  'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate',
  'Date', 'performance',
];
const clock = {
  install: () => vi.useFakeTimers(WAY === 'registered' ? { toFake } : undefined),
  advance: (milliseconds) => vi.advanceTimersByTime(milliseconds),
  uninstall: () => vi.useRealTimers(),
};
ways.testWay(WAY, test, { clock, load: () => api });
