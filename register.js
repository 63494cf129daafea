'use strict';

// Opt-in: installs the API as globals, as a browser has them. What exists already stays. Nothing
// else in this package touches a global that applications see.

const api = require('./index.js');

const INTERFACES = ['Scheduler', 'TaskController', 'TaskSignal', 'TaskPriorityChangeEvent'];
const OPERATIONS = ['requestIdleCallback', 'cancelIdleCallback'];

// Web IDL: an accessor of the global object takes no receiver for the global object.
function checkReceiver(receiver) {
  if (receiver !== undefined && receiver !== null && receiver !== globalThis) {
    throw new TypeError('Illegal invocation: scheduler must be read from the global object');
  }
}

// [Replaceable]: assigning makes it an ordinary property.
function installScheduler() {
  const accessor = {
    get scheduler() {
      checkReceiver(this);
      return api.scheduler;
    },
    set scheduler(value) {
      checkReceiver(this);
      Object.defineProperty(globalThis, 'scheduler', {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    },
  };
  const descriptor = Object.getOwnPropertyDescriptor(accessor, 'scheduler');
  Object.defineProperty(globalThis, 'scheduler', descriptor);
}

function install(name, enumerable) {
  if (name in globalThis) return;
  const value = api[name];
  Object.defineProperty(globalThis, name, {
    value,
    writable: true,
    enumerable,
    configurable: true,
  });
}

if (!('scheduler' in globalThis)) installScheduler();
for (const name of INTERFACES) install(name, false);
for (const name of OPERATIONS) install(name, true);
