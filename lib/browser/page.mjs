// The public exports in a page or in a worker of a browser: the browser's own scheduler and
// interfaces, what this package adds to them, and functions that refuse what only Node has.

import { refusal } from '../loading/refusal.js';
import { onIdleOf } from './on-idle.mjs';
import { piecesOf } from './pieces.mjs';
import { shouldYieldOf } from './should-yield.mjs';
import { unsupported } from './unsupported.mjs';
import { waitOf } from './wait.mjs';

const OF_NODE = [
  'createScheduler',
  'drain',
  'configure',
  'configuration',
  'SharedTask',
];

const INTERFACES = ['TaskController', 'TaskSignal', 'TaskPriorityChangeEvent', 'IdleDeadline'];
const OPERATIONS = ['requestIdleCallback', 'cancelIdleCallback'];

// Older browsers have a scheduler without `yield()`.
function schedulerOf({ scheduler }) {
  const isThere = ['postTask', 'yield'].every((name) => typeof scheduler?.[name] === 'function');
  if (isThere) return scheduler;
  throw refusal(
    'the browser has no scheduler with postTask() and yield(). ' +
      "Import the package 'scheduler-polyfill' before.",
    undefined,
    'in this page',
  );
}

// `page` is the global object, or what stands for it in a test.
export function apiOf(page) {
  const scheduler = schedulerOf(page);
  const shouldYield = shouldYieldOf(page);
  const api = {
    scheduler,
    Scheduler: page.Scheduler ?? scheduler.constructor,
    wait: waitOf(scheduler),
    shouldYield,
    pieces: piecesOf(scheduler, shouldYield),
    onIdle: onIdleOf(page),
    // A page does not tell which task runs.
    currentTaskSignal() {},
  };
  for (const name of OF_NODE) api[name] = unsupported(name);
  for (const name of [...INTERFACES, ...OPERATIONS]) {
    api[name] = page[name] ?? unsupported(name, 'is missing in this browser');
  }
  // `require('uv-scheduler').requestIdleCallback()` has another receiver than the page.
  for (const name of OPERATIONS) api[name] = api[name].bind(page);
  return api;
}
