'use strict';

// The contenders by name, in the order of the table. Each is made on demand, so that a process
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

const { setMaxListeners } = require('node:events');
const fs = require('node:fs');
const { scheduler: nodeScheduler, setImmediate: immediate } = require('node:timers/promises');
const vm = require('node:vm');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

// The web's API: that of uv-scheduler, and of the polyfill.
const createWeb = ({ TaskController, scheduler }) => ({
  post: (task) => scheduler.postTask(task),
  prioritized: (task, level) => scheduler.postTask(task, { priority: PRIORITIES[level] }),
  yield: () => scheduler.yield(),
  inside: (callback) => scheduler.postTask(callback),
  controller: () => new TaskController(),
  signalled: (task, signal) => scheduler.postTask(task, { signal }),
});

// Node warns of many listeners.
function withoutMaximum(controller) {
  setMaxListeners(0, controller.signal);
  return controller;
}

function createPolyfill() {
  // It installs itself on `self`, which is its own here, so that no global object gets its classes.
  // Its MessageChannel keeps the process alive.
  const filename = require.resolve('scheduler-polyfill');
  const self = {};
  vm.compileFunction(fs.readFileSync(filename, 'utf8'), ['self'], { filename }).call(self, self);
  const { TaskController, scheduler } = self;
  return {
    ...createWeb({ TaskController, scheduler }),
    controller: () => withoutMaximum(new TaskController()),
  };
}

// Node's own ways to run a task in a later turn of the loop. None has priorities.
function createTurns(next) {
  const run = (task) => next().then(task);
  return { post: run, yield: next, inside: run };
}

const createImmediates = () => ({
  ...createTurns(immediate),
  controller: () => withoutMaximum(new AbortController()),
  signalled: (task, signal) => immediate(undefined, { signal }).then(task),
});

function createBareImmediates() {
  const run = (task) => new Promise((resolve) => setImmediate(() => resolve(task())));
  return { post: run, yield: () => new Promise((resolve) => setImmediate(resolve)), inside: run };
}

// React's scheduler uses setImmediate in Node, runs many tasks in one callback, and has no signals.
// Its tasks have no promises, so each gets one here.
function createReact() {
  const scheduler = require('scheduler');
  const { unstable_UserBlockingPriority, unstable_NormalPriority: NORMAL } = scheduler;
  const priorities = [unstable_UserBlockingPriority, NORMAL, scheduler.unstable_LowPriority];
  const schedule = (task, priority = NORMAL) => new Promise((resolve) => {
    // The callback must not return a function, because React would call it.
    scheduler.unstable_scheduleCallback(priority, () => void resolve(task()));
  });
  return {
    post: (task) => schedule(task),
    prioritized: (task, level) => schedule(task, priorities[level]),
    yield: () => schedule(() => {}),
    inside: (callback) => schedule(callback),
  };
}

// A queue of promises whose one worker runs the task. It has no priorities. Its tasks and those of
// p-queue follow each other in microtasks, so neither ever leaves the current callback.
function createFastq() {
  const queue = require('fastq').promise(async (task) => task(), 1);
  return { post: (task) => queue.push(task), yield: () => queue.push(() => {}) };
}

async function createPQueue() {
  const { default: PQueue } = await import('p-queue');
  const queue = new PQueue({ concurrency: 1 });
  return {
    post: (task) => queue.add(task),
    prioritized: (task, level) => queue.add(task, { priority: -level }),
    yield: () => queue.add(() => {}),
  };
}

const CREATE = {
  'uv-scheduler': () => createWeb(require('../..')),
  'timers/promises setImmediate': createImmediates,
  'timers/promises scheduler.yield': () => createTurns(() => nodeScheduler.yield()),
  'setImmediate + promise': createBareImmediates,
  'scheduler-polyfill': createPolyfill,
  'React scheduler': createReact,
  'fastq': createFastq,
  'p-queue': createPQueue,
};

// The contenders with each method, so that no process is started for one that has none.
const POSTING = Object.keys(CREATE);
const QUEUES = ['fastq', 'p-queue'];
const ROWS = {
  post: POSTING,
  prioritized: ['uv-scheduler', 'scheduler-polyfill', 'React scheduler', 'p-queue'],
  yield: POSTING,
  inside: POSTING.filter((name) => !QUEUES.includes(name)),
  signalled: ['uv-scheduler', 'timers/promises setImmediate', 'scheduler-polyfill'],
};

// The most waiting tasks, where more take too long: p-queue shifts and splices one array.
const MOST = { 'scheduler-polyfill': 1e5, 'p-queue': 1e4 };

// The contenders with a method of which `count` tasks may wait at once.
const rowsOf = (method, count) => ROWS[method].filter((name) => count <= (MOST[name] ?? Infinity));

const loaded = new Map();

async function load(name) {
  if (!loaded.has(name)) loaded.set(name, await CREATE[name]());
  return loaded.get(name);
}

module.exports = { load, rowsOf };
