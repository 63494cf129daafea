// The entry point `uv-scheduler` of the sources for browsers. The package loads dist/browser.mjs,
// which is made of this (see scripts/setup/bundle.js).
//
// The functions and interfaces are those of the page. In a process of Node, which takes this file
// if a test runner sets the condition `browser` (as jest does for jsdom), they are those of Node.

import { apiOfNode } from './node.mjs';
import { apiOf } from './page.mjs';

const api = apiOfNode(globalThis) ?? apiOf(globalThis);

// As of the module for Node, which is a CommonJS module.
export default api;

export const {
  scheduler,
  createScheduler,
  wait,
  shouldYield,
  pieces,
  currentTaskSignal,
  onIdle,
  drain,
  configure,
  configuration,
  Scheduler,
  TaskController,
  TaskSignal,
  TaskPriorityChangeEvent,
  SharedTask,
  IdleDeadline,
  requestIdleCallback,
  cancelIdleCallback,
} = api;
