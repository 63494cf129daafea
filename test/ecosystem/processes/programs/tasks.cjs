'use strict';

// Runs one task of each priority, one that yields, and an idle callback on the globals of register.

const api = require('../../../..');

const BINDING = Symbol.for('uv-scheduler.binding');

function runTasks(log) {
  const { TaskController, requestIdleCallback, scheduler } = globalThis;
  log(scheduler === api.scheduler && globalThis[BINDING].size === 1 ? 'ours' : 'other');
  const { signal } = new TaskController({ priority: 'background' });
  const ended = [
    new Promise((resolve) => requestIdleCallback(resolve)).then(() => log('idle')),
    scheduler.postTask(() => log('background'), { signal }),
    scheduler.postTask(async () => {
      log('user-visible');
      await scheduler.yield();
      log('continuation');
    }),
    scheduler.postTask(() => log('user-blocking'), { priority: 'user-blocking' }),
  ];
  return Promise.all(ended);
}

module.exports = { runTasks };
