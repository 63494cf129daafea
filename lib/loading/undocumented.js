'use strict';

// Every dependence on something that Node, Deno or a library does not document: what the package
// relies on, how it asks whether this version has it, and the answer if not. No answer is an
// exception.

const { AsyncResource, executionAsyncId, executionAsyncResource } = require('node:async_hooks');
const { isPromise } = require('node:util').types;

// Node: the resource that executionAsyncResource() returns in a tick, in a microtask and in a
// reaction. It tells whether code belongs to the chain of a task, and so inherits from the task.
// Asked in callbacks of our own. The answer for an unknown resource depends on who keeps its async
// id: JavaScript does for ticks, microtasks and timers, native code for I/O and addons.

// The classes of resources that also stand for other callbacks: of addons, and of an application.
const COMMON = [null, Object.prototype, AsyncResource.prototype];

// For each class of resources that belong to a chain, the name of the property that holds the
// callback, if the class is a common one.
const chains = new Map();

function learnResource() {
  const resource = executionAsyncResource();
  if (!isObject(resource) || isPromise(resource) || isOfLoop(resource)) return;
  const prototype = Object.getPrototypeOf(resource);
  if (COMMON.includes(prototype)) {
    const name = Reflect.ownKeys(resource).find((each) => typeof resource[each] === 'function');
    if (name !== undefined) chains.set(prototype, name);
  } else if (executionAsyncId() !== 0) {
    chains.set(prototype, undefined);
  }
}

// Asks by these functions of the host.
function learnResources(nextTick, queueMicrotask) {
  nextTick(learnResource);
  queueMicrotask(learnResource);
  Promise.resolve().then(learnResource);
}

// Whether a resource with this async id stands for a tick, a microtask or a reaction.
function isResourceOfChain(resource, id) {
  // No callback of the loop lacks a resource.
  if (!isObject(resource)) return true;
  const prototype = Object.getPrototypeOf(resource);
  if (chains.has(prototype)) {
    const name = chains.get(prototype);
    if (name === undefined) return true;
    if (Object.hasOwn(resource, name) && typeof resource[name] === 'function') return true;
  }
  if (resource instanceof AsyncResource || isOfLoop(resource)) return false;
  return Object.getOwnPropertySymbols(resource).some((each) => resource[each] === id);
}

const isObject = (value) => typeof value === 'object' && value !== null;

// Timers, immediates and handles have this method, which Node documents.
const isOfLoop = (resource) => typeof resource.hasRef === 'function';

module.exports = { isResourceOfChain, learnResources };
