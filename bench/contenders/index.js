'use strict';

// The contenders by name, in the order of the table. Each is loaded when it is asked for, so that
// a process has only those that it measures. Knows nothing of what is measured.
//
// A contender has what it can do of these.
//
//   post(task)               a promise for the result of the task
//   prioritized(task, level) the same with a priority, 0 being the highest of three
//   yield()                  a promise to go on with
//   inside(callback)         runs an async function as a task in which yield() can be called
//   controller()             an AbortController for tasks
//   signalled(task, signal)  post() with the signal of a controller
//   setPriority(controller, level)
//   delayed(task, ms)        post() with a delay
//   limits                   by method: above so many tasks waiting it takes too long
//   open(), close()          around what is measured: it may hold the process in between

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

// Who takes part where, so that no process is started for a contender that cannot.
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

// The contender, or undefined where it cannot be.
async function load(name) {
  if (!loaded.has(name)) loaded.set(name, await LOADERS[name]());
  return loaded.get(name);
}

module.exports = { ROWS, load };
