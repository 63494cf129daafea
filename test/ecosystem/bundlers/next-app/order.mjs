// Finds out in which order tasks and a timer run that I/O starts. (With `cacheComponents` Next.js
// has an immediate of its own.)

import { stat } from 'node:fs/promises';
import { scheduler } from 'uv-scheduler';

export async function order() {
  const names = [];
  const log = (name) => () => names.push(name);
  await stat('.');
  const timer = new Promise((resolve) => setTimeout(resolve, 0)).then(log('t0'));
  const tasks = [
    scheduler.postTask(log('bg'), { priority: 'background' }),
    scheduler.postTask(log('uv')),
    scheduler.postTask(log('ub'), { priority: 'user-blocking' }),
  ];
  // The timer is then due.
  const end = performance.now() + 5;
  while (performance.now() < end);
  await Promise.all([timer, ...tasks]);
  return names.join(' ');
}
