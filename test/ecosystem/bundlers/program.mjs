// Prints the order in which tasks and a timer ran. The bundlers take in this program.

import { scheduler } from 'uv-scheduler';

const order = [];
const log = (name) => () => order.push(name);

// From an immediate on, the order is the same in ES modules and CommonJS modules.
setImmediate(() => {
  setTimeout(log('t0'), 0);
  scheduler.postTask(log('bg'), { priority: 'background' });
  scheduler.postTask(log('uv'));
  scheduler.postTask(log('ub'), { priority: 'user-blocking' });
  // The timer is then due.
  const end = performance.now() + 5;
  while (performance.now() < end);
});

process.on('exit', () => console.log(order.join(' ')));
