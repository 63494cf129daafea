'use strict';

// Owns the ways of sharing the thread that are compared: those of the documentation site and two
// more, behind the same interface. Each is made where it is asked for, so that a server's process
// has only its own.

const events = require('node:events');
const fs = require('node:fs');
const timers = require('node:timers/promises');
const vm = require('node:vm');

const site = require('../../examples/docs-site/strategies');

// Node's own experiment with the interface: yield() is a setImmediate() promise, and knows neither
// priorities nor signals.
function createTimers() {
  const pause = () => timers.scheduler.yield();
  return {
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
  };
}

/** The polyfill looks for a `self`; this one is its own, so that no global is touched. */
function loadPolyfill() {
  const file = require.resolve('scheduler-polyfill');
  const self = {};
  vm.compileFunction(fs.readFileSync(file, 'utf8'), ['self'], { filename: file })(self);
  return self.scheduler;
}

// The same priorities as with uv-scheduler. The polyfill's yield() inherits nothing: it goes on as
// a user-visible continuation. Where that is not the priority of the task, an empty task of that
// priority stands in for it.
function createPolyfill() {
  const scheduler = loadPolyfill();
  // It listens to the signal once for each task; Node takes more than ten for a leak.
  events.setMaxListeners(0);
  const nothing = () => {};
  return {
    render: (fn, { urgent, signal }) =>
      scheduler.postTask(fn, { priority: urgent ? 'user-blocking' : 'user-visible', signal }),
    pause: ({ urgent, signal }) => (urgent
      ? scheduler.postTask(nothing, { priority: 'user-blocking', signal })
      : scheduler.yield()),
    background: (fn) => scheduler.postTask(fn, { priority: 'background' }),
    pauseBackground: () => scheduler.postTask(nothing, { priority: 'background' }),
  };
}

module.exports = {
  unchunked: { name: site.unchunked.name, create: () => site.unchunked },
  immediate: { name: site.immediate.name, create: () => site.immediate },
  timers: { name: 'timers/promises', create: createTimers },
  polyfill: { name: 'scheduler-polyfill', create: createPolyfill },
  prioritized: { name: site.prioritized.name, create: () => site.prioritized },
};
