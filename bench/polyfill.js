'use strict';

// Loads scheduler-polyfill, which installs itself on `self` if that has no scheduler. It runs
// unchanged as a function with its own `self` as a parameter, so that no global object gets its
// classes.

const fs = require('node:fs');
const vm = require('node:vm');

/** Returns { TaskController, scheduler }. It posts its tasks through such a MessageChannel. */
function loadPolyfill(OwnMessageChannel = MessageChannel) {
  const filename = require.resolve('scheduler-polyfill');
  const self = {};
  const parameters = ['self', 'MessageChannel'];
  vm.compileFunction(fs.readFileSync(filename, 'utf8'), parameters, { filename })
    .call(self, self, OwnMessageChannel);
  if (self.scheduler === undefined || self.TaskController === undefined) {
    throw new Error('scheduler-polyfill has not installed itself');
  }
  return self;
}

module.exports = { loadPolyfill };
