'use strict';

// scheduler-polyfill, loaded behind register, keeps the scheduler that exists.

const api = require('../../../..');

// The line that a program on Node needs.
globalThis.self = globalThis;

require('scheduler-polyfill');

const names = ['scheduler', 'TaskController', 'TaskPriorityChangeEvent'];
const isPatched = Object.hasOwn(globalThis.scheduler, 'yield');
console.log([...names.map((name) => globalThis[name] === api[name]), isPatched].join());
