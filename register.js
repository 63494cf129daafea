'use strict';

// Opt-in: installs the API as globals, as a browser has them. What exists already stays. Nothing
// else in this package touches a global that applications see.

const api = require('./index.js');

const INTERFACES = ['Scheduler', 'TaskController', 'TaskSignal', 'TaskPriorityChangeEvent'];
const OPERATIONS = ['requestIdleCallback', 'cancelIdleCallback'];

// Null prototypes: a descriptor must not have members that somebody gave to `Object.prototype`.
function define(name, descriptor) {
  Object.defineProperty(globalThis, name, { __proto__: null, ...descriptor });
}

// Whatever the receiver: in the contexts of `vm`, where jest and vitest run tests, it is the object
// that the context was made from, and never the global object. [Replaceable]: assigning makes it an
// ordinary property.
const accessor = {
  get scheduler() {
    return api.scheduler;
  },
  set scheduler(value) {
    define('scheduler', { value, writable: true, enumerable: true, configurable: true });
  },
};

function install(name, enumerable) {
  if (name in globalThis) return;
  define(name, { value: api[name], writable: true, enumerable, configurable: true });
}

if (!('scheduler' in globalThis)) {
  define('scheduler', Object.getOwnPropertyDescriptor(accessor, 'scheduler'));
}
for (const name of INTERFACES) install(name, false);
for (const name of OPERATIONS) install(name, true);
