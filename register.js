'use strict';

// Opt-in: installs the API as globals, as in browsers. Globals that exist already are kept. No
// other file of the package touches a global that applications see.

const api = load();

function load() {
  try {
    return require('./dist/index.js');
  } catch (error) {
    // Without --allow-read, Deno may not look for that file, which would throw this code itself.
    if (error?.name === 'NotCapable') error.code = 'ERR_UV_SCHEDULER_UNSUPPORTED';
    throw error;
  }
}

const INTERFACES = [
  'Scheduler',
  'TaskController',
  'TaskSignal',
  'TaskPriorityChangeEvent',
  'IdleDeadline',
];
const OPERATIONS = ['requestIdleCallback', 'cancelIdleCallback'];

// The null prototype keeps members added to `Object.prototype` out of the descriptor.
function define(name, descriptor) {
  Object.defineProperty(globalThis, name, { __proto__: null, ...descriptor });
}

// The accessor does not check its receiver: in `vm` contexts, where jest and vitest run tests, the
// receiver is the object that was contextified, never the global object. [Replaceable]: assigning
// turns it into an ordinary property.
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
