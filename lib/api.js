'use strict';

// The public exports. Parts that few programs use are loaded when they are first read.

const { Scheduler, createScheduler } = require('./scheduler.js');

const scheduler = createScheduler();

module.exports = { scheduler, createScheduler, Scheduler };

// Defines an export that becomes an ordinary property when it is first read or written.
function define(name, load) {
  const replace = (value) => {
    const descriptor = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(module.exports, name, { __proto__: null, ...descriptor });
    return value;
  };
  Object.defineProperty(module.exports, name, {
    __proto__: null,
    get: () => replace(load()[name]),
    set: replace,
    enumerable: true,
    configurable: true,
  });
}

define('configure', () => require('./configure.js'));
define('TaskController', () => require('./task-controller.js'));
define('TaskSignal', () => require('./task-signal.js'));
define('TaskPriorityChangeEvent', () => require('./task-priority-change-event.js'));
define('requestIdleCallback', () => require('./idle-callbacks.js'));
define('cancelIdleCallback', () => require('./idle-callbacks.js'));
