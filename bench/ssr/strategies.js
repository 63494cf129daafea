'use strict';

// Defines the compared ways of sharing the thread: those of the documentation site and two more,
// behind the same interface. Each is made on demand, so that a server's process has only its own.

const events = require('node:events');
const timers = require('node:timers/promises');

const site = require('../../examples/docs-site/strategies');

const { loadPolyfill } = require('../polyfill');

// Node's own experimental version of the interface: yield() is a setImmediate() promise, without
// priorities or signals.
function createTimers() {
  const pause = () => timers.scheduler.yield();
  return site.byClock({
    async render(fn, { signal }) {
      await pause();
      signal.throwIfAborted();
      return fn();
    },
    pause,
    async background(fn) {
      await pause();
      return fn();
    },
    pauseBackground: pause,
  });
}

// The same priorities as with uv-scheduler. The polyfill's yield() inherits nothing: it goes on as
// a user-visible continuation. If the task has another priority, an empty task of that priority
// replaces yield().
function createPolyfill() {
  const { scheduler } = loadPolyfill();
  // It adds a listener to the signal for each task; Node reports more than ten as a leak.
  events.setMaxListeners(0);
  const nothing = () => {};
  return site.byClock({
    render: (fn, { urgent, signal }) =>
      scheduler.postTask(fn, { priority: urgent ? 'user-blocking' : 'user-visible', signal }),
    pause: ({ urgent, signal }) => (urgent
      ? scheduler.postTask(nothing, { priority: 'user-blocking', signal })
      : scheduler.yield()),
    background: (fn) => scheduler.postTask(fn, { priority: 'background' }),
    pauseBackground: () => scheduler.postTask(nothing, { priority: 'background' }),
  });
}

module.exports = {
  unchunked: { name: site.unchunked.name, create: () => site.unchunked },
  immediate: { name: site.immediate.name, create: () => site.immediate },
  timers: { name: 'timers/promises', create: createTimers },
  polyfill: { name: 'scheduler-polyfill', create: createPolyfill },
  prioritized: { name: site.prioritized.name, create: () => site.prioritized },
};
