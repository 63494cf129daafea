'use strict';

// Runs one task of each priority, one that yields, and an idle callback on the globals of register.

const api = require('../../../..');

const BINDING = Symbol.for('uv-scheduler.binding');

// Resolves to what ran, in order.
async function runTasks() {
  const { TaskController, requestIdleCallback, scheduler } = globalThis;
  const { signal } = new TaskController({ priority: 'background' });
  const ran = [scheduler === api.scheduler && globalThis[BINDING].size === 1 ? 'ours' : 'other'];
  const log = (name) => () => ran.push(name);
  await Promise.all([
    new Promise((resolve) => requestIdleCallback(resolve)).then(log('idle')),
    scheduler.postTask(log('background'), { signal }),
    scheduler.postTask(() => {
      ran.push('user-visible');
      return scheduler.yield().then(log('continuation'));
    }),
    scheduler.postTask(log('user-blocking'), { priority: 'user-blocking' }),
  ]);
  return ran.join(' ');
}

module.exports = { runTasks };
