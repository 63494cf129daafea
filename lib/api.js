'use strict';

// The public exports. Parts that few programs use are loaded on first use: functions when they are
// called, classes when they are read. (An `import` of ES modules reads all of them.)

const {
  Scheduler,
  createScheduler,
  scheduler,
} = require('./tasks/scheduler.js');
const { currentTaskSignal } = require('./tasks/scheduling-state.js');
const { debug, isDebugging } = require('./loading/debug.js');
const { warnOfUnknown } = require('./loading/disabled.js');
const { mode } = require('./loading/host.js');
const { observers } = require('./loop/observers.js');
const { environmentVariable } = require('./loop/platform.js');
require('./watch/context.js');

observers.watchForSubscribers = () => require('./watch/index.js').watchForSubscribers();
observers.startSampler = (take) => require('./watch/index.js').parts().startSampler(take);

// The functions are properties with a value, unlike those of the classes: mocking libraries replace
// only these.

// For code that is shared with browsers, whose schedulers have no such method.
function wait(delay, options = undefined) {
  return scheduler.wait(delay, options);
}

function configure(options) {
  return require('./tasks/configure.js').configure(options);
}

function configuration() {
  return require('./tasks/configure.js').configuration();
}

function requestIdleCallback(callback, options = undefined) {
  return require('./tasks/idle-callbacks.js').requestIdleCallback(callback, options);
}

function cancelIdleCallback(handle) {
  const { cancelIdleCallback: cancel } = require('./tasks/idle-callbacks.js');
  // A missing argument is an error, undefined is not.
  return arguments.length === 0 ? cancel() : cancel(handle);
}

function onIdle(options = undefined) {
  return require('./tasks/on-idle.js').onIdle(options);
}

function drain(options = undefined) {
  return require('./tasks/drain.js').drain(options);
}

// Caches the module, as loops call shouldYield() often.
let shouldYieldModule;

function shouldYield() {
  shouldYieldModule ??= require('./tasks/should-yield.js');
  return shouldYieldModule.shouldYield();
}

function pieces(iterable, options = undefined) {
  return require('./tasks/pieces.js').pieces(iterable, options);
}

module.exports = {
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
  requestIdleCallback,
  cancelIdleCallback,
};

// Not for users: see internal.js.
Object.defineProperty(module.exports, Symbol.for('uv-scheduler.internal'), {
  __proto__: null,
  get: () => require('./internal.js'),
});

// Makes an export an ordinary property. A frozen export remains unchanged.
function replace(object, name, value) {
  const descriptor = { value, writable: true, enumerable: true, configurable: true };
  Reflect.defineProperty(object, name, { __proto__: null, ...descriptor });
  return value;
}

// Defines an export that becomes an ordinary property when it is first read or written.
function define(name, load) {
  Object.defineProperty(module.exports, name, {
    __proto__: null,
    get: () => replace(module.exports, name, load()[name]),
    set(value) {
      replace(this, name, value);
    },
    enumerable: true,
    configurable: true,
  });
}

define('TaskController', () => require('./signals/task-controller.js'));
define('TaskSignal', () => require('./signals/task-signal.js'));
define('TaskPriorityChangeEvent', () => require('./signals/task-priority-change-event.js'));
define('SharedTask', () => require('./tasks/shared-task.js'));
define('IdleDeadline', () => require('./tasks/idle-callbacks.js'));

debug('version %s, mode %s', process.env.UV_SCHEDULER_VERSION, mode);
warnOfUnknown();
const idle = environmentVariable('UV_SCHEDULER_IDLE');
const trace = environmentVariable('UV_SCHEDULER_TRACE');
if (idle) require('./tasks/configure.js').configureFromOutside(idle);
if (trace) require('./watch/index.js').traceFromOutside(trace);
if (isDebugging && mode !== 'off') require('./loop/waiting-log.js').begin();
