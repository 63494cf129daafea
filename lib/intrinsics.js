'use strict';

// Captures at load time what fake timers and APM agents replace while a program runs. The rest of
// lib/ takes these from here. No other part of the language is guarded.

const { Promise, performance, process, queueMicrotask } = globalThis;
const { nextTick } = process;
const now = performance.now.bind(performance);

module.exports = { Promise, nextTick, now, queueMicrotask };
