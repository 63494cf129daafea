// The same in an ES module.

/* global expect, it */

import { drain, pieces, scheduler, wait } from 'uv-scheduler';

it('is the scheduler of Node', async () => {
  expect(String(scheduler)).toBe('[object Scheduler]');
  expect(globalThis.scheduler).toBe(undefined);
  const items = [];
  for await (const item of pieces([1, 2])) items.push(item);
  await wait(1);
  expect(items).toEqual([1, 2]);
  const { completed } = await drain();
  expect(completed['user-visible']).toBe(0);
});
