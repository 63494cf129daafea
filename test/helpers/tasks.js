'use strict';

// Helpers of several test files: programs in processes of their own, the effective priority at
// which a task or a continuation starts, busy loops, and foreign signals. They use only the public
// API.

const assert = require('node:assert/strict');
const vm = require('node:vm');
const { TaskSignal, scheduler } = require('../..');
const { busy } = require('./busy.js');
const { ROOT, run } = require('./programs.js');

// Generous, as the machine may be busy. A child that hangs still fails its test.
const CHILD_TIMEOUT = 25_000;

// Runs the source text of `main(root)` in a process of its own, where `require(root)` loads the
// package. Resolves to what it printed and how it ended.
function runChild(main, args = []) {
  const program = `'use strict'; (${main})(${JSON.stringify(ROOT)});`;
  return run({ path: process.execPath }, [...args, '-e', program], {
    cwd: ROOT, timeout: CHILD_TIMEOUT,
  });
}

// The lines that a program printed. Fails if it did not exit with 0.
async function output(main, args) {
  const { code, signal, stdout, stderr } = await runChild(main, args);
  assert.deepEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' });
  return stdout === '' ? [] : stdout.trimEnd().split('\n');
}

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

// Effective priorities, as in section 7 of the contract.
const TASK = { 'user-blocking': 4, 'user-visible': 2, 'background': 0 };
const CONTINUATION = { 'user-blocking': 5, 'user-visible': 3, 'background': 1 };

// The effective priority of what `start(mark)` queues, which must call `mark` when it runs. Tasks
// of all priorities are posted just before and just after it: a continuation runs before both tasks
// of its priority, a task between them.
async function effectivePriority(start) {
  const log = [];
  const post = (priority) => scheduler.postTask(() => log.push('other'), { priority });
  const before = PRIORITIES.map(post);
  const started = start(() => log.push('mark'));
  const behind = PRIORITIES.map(post);
  await Promise.all([...before, started, ...behind]);
  const place = log.indexOf('mark');
  assert.notEqual(place, -1, 'it never ran');
  return 5 - place;
}

// The effective priority of a continuation of the caller.
function priorityOfYield(options) {
  return effectivePriority((mark) => scheduler.yield(options).then(mark));
}

// The effective priority of a task.
function priorityOfTask(options) {
  return effectivePriority((mark) => scheduler.postTask(mark, options));
}

// A polyfill of AbortSignal, as a library may contain. As text, so that it works in any realm.
const POLYFILL = `(class {
  aborted = false;
  reason = undefined;
  listeners = [];
  addEventListener(type, listener) {
    this.listeners.push({ type, listener });
  }
  removeEventListener(type, listener) {
    this.listeners = this.listeners.filter((each) => each.listener !== listener);
  }
  abort(reason) {
    this.aborted = true;
    this.reason = reason;
    this.dispatch();
  }
  dispatch() {
    for (const { type, listener } of [...this.listeners]) {
      if (type !== 'abort') continue;
      const event = { type, target: this };
      if (typeof listener === 'function') listener.call(this, event);
      else listener.handleEvent(event);
    }
  }
})`;

const PolyfillSignal = vm.runInThisContext(POLYFILL);

function foreignSignal() {
  return vm.runInNewContext(`new ${POLYFILL}()`);
}

// The outcome of a promise: ['fulfilled', value] or ['rejected', reason].
function settled(promise) {
  return promise.then((value) => ['fulfilled', value], (reason) => ['rejected', reason]);
}

// A signal that follows the priority of another.
const follow = (priority, signals = []) => TaskSignal.any(signals, { priority });

// A task, in an object as a promise would be awaited, once it has started.
function started(callback, options) {
  return new Promise((resolve) => {
    const task = scheduler.postTask(() => {
      resolve({ task });
      return callback();
    }, options);
  });
}

// A task that has started, and runs until `finish(value)` is called.
async function startedTask(options) {
  let finish;
  const { task } = await started(() => new Promise((resolve) => (finish = resolve)), options);
  return { task, finish };
}

// Lets everything run that is queued.
const background = () => scheduler.postTask(() => {}, { priority: 'background' });

async function until(isDone) {
  while (!isDone()) await background();
}

// A signal for a join(), and a function that ends it.
function leaving() {
  const controller = new AbortController();
  return { signal: controller.signal, leave: () => controller.abort('left') };
}

module.exports = {
  CONTINUATION, PRIORITIES, PolyfillSignal, ROOT, TASK, background, busy, effectivePriority, follow,
  foreignSignal, leaving, output, priorityOfTask, priorityOfYield, runChild, settled, started,
  startedTask, until,
};
