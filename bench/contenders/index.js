'use strict';

// The contenders by name, in the order of the table. Each is loaded on demand, so that a process
// loads only those that it measures.
//
// A contender has those of these members that it supports.
//
//   post(task)               a promise for the result of the task
//   prioritized(task, level) the same with a priority, 0 being the highest of three
//   yield()                  a promise that resolves when the caller may go on
//   inside(callback)         runs an async function as a task in which yield() can be called
//   controller()             an AbortController for tasks
//   signalled(task, signal)  post() with the signal of a controller
//   setPriority(controller, level)
//   delayed(task, ms)        post() with a delay
//   limits                   by method: with more waiting tasks it takes too long
//   open(), close()          called around a measurement; in between it may keep the process alive

const LOADERS = {
  'uv-scheduler': () => require('./uv-scheduler.js'),
  'timers/promises setImmediate': () => require('./immediates.js').promised,
  'timers/promises scheduler.yield': () => require('./immediates.js').yielding,
  'setImmediate + promise': () => require('./immediates.js').bare,
  'timers/promises setTimeout': () => require('./timeouts.js').promised,
  'setTimeout + promise': () => require('./timeouts.js').bare,
  'scheduler-polyfill': () => require('./polyfill.js'),
  'React scheduler': () => require('./react.js'),
  'fastq': () => require('./fastq.js'),
  'p-queue': () => require('./p-queue.js').load(),
  'floor': () => require('./floor.js').load(),
};

// The contenders of each case, so that no process is started for one that cannot take part.
const TIMED = ['timers/promises setTimeout', 'setTimeout + promise'];
const POSTING = Object.keys(LOADERS).filter((name) => !TIMED.includes(name));
const QUEUES = ['fastq', 'p-queue'];
const ROWS = {
  post: POSTING,
  prioritized: ['uv-scheduler', 'scheduler-polyfill', 'React scheduler', 'p-queue'],
  yield: POSTING,
  inside: POSTING.filter((name) => !QUEUES.includes(name)),
  signalled: ['uv-scheduler', 'timers/promises setImmediate', 'scheduler-polyfill'],
  setPriority: ['uv-scheduler', 'scheduler-polyfill'],
  delayed: ['uv-scheduler', ...TIMED, 'scheduler-polyfill', 'React scheduler'],
};

const loaded = new Map();

// Returns the contender, or undefined if it is unavailable.
async function load(name) {
  if (!loaded.has(name)) loaded.set(name, await LOADERS[name]());
  return loaded.get(name);
}

module.exports = { ROWS, load };
