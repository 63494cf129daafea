// Finds out in which order tasks and timers run that I/O starts. (With `cacheComponents` Next.js
// has an immediate of its own, and replaces timers.)

import { stat } from 'node:fs/promises';
import { scheduler } from 'uv-scheduler';

function block(ms) {
  for (const end = performance.now() + ms; performance.now() < end;);
}

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
  block(5);
  await Promise.all([timer, ...tasks]);
  return names.join(' ');
}
