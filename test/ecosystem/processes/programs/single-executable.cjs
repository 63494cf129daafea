'use strict';

// The main script of a single executable, whose own `require` loads built-in modules alone. The
// package, with its addon, is in node_modules beside the executable.

const { createRequire } = require('node:module');

const requireBeside = createRequire(process.execPath);
requireBeside('uv-scheduler/register');

const { scheduler, requestIdleCallback } = globalThis;

setImmediate(async () => {
  const lines = [];
  const log = (line) => () => lines.push(line);
  setTimeout(log('timer'), 0);
  const end = performance.now() + 5;
  while (performance.now() < end);
  const idle = new Promise((resolve) => requestIdleCallback(resolve)).then(log('idle'));
  await Promise.all([
    scheduler.postTask(log('background'), { priority: 'background' }),
    scheduler.postTask(log('user-visible')),
    scheduler.postTask(log('user-blocking'), { priority: 'user-blocking' }),
    idle,
  ]);
  console.log(lines.join(' '));
});
