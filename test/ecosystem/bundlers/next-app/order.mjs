// Finds out in which order tasks and a timer run.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { scheduler } from 'uv-scheduler';

export async function order() {
  const names = [];
  const log = (name) => () => names.push(name);
  await nextTurn();
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
