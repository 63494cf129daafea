'use strict';

// The package by its name, as a project has it. In jsdom, jest sets the condition `browser`.

/* global expect */

const { drain, pieces, scheduler, wait } = require('uv-scheduler');

it('is the scheduler of Node', async () => {
  expect(String(scheduler)).toBe('[object Scheduler]');
  expect(globalThis.scheduler).toBe(undefined);
  const items = [];
  for await (const item of pieces([1, 2])) items.push(item);
  await wait(1);
  expect(items).toEqual([1, 2]);
  const { completed } = await drain();
  expect(completed).toEqual({ 'user-blocking': 0, 'user-visible': 0, background: 0 });
});
