'use strict';

// What tools replace while a program runs, such as fake timers and agents that instrument programs,
// as it was when the package was loaded. The rest of lib/ takes it from here. Nothing else of the
// language is guarded.

const { Promise, performance, process, queueMicrotask } = globalThis;
const { nextTick } = process;
const now = performance.now.bind(performance);
// Takes the promise as its first argument.
const then = Function.prototype.call.bind(Promise.prototype.then);

module.exports = { Promise, nextTick, now, queueMicrotask, then };
