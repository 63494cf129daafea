'use strict';

// scheduler-polyfill as a contender. It installs itself on `self` if that has no scheduler. This
// file runs the unchanged code as a function with its own `self` as a parameter, so that no global
// object gets its classes. It also provides the MessageChannel that the polyfill posts its tasks
// through, so that it keeps the process alive only during a measurement.

const { setMaxListeners } = require('node:events');
const fs = require('node:fs');
const vm = require('node:vm');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];

const ports = [];

class OwnMessageChannel extends MessageChannel {
  constructor() {
    super();
    ports.push(this.port1);
  }
}

function install() {
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

const { TaskController, scheduler } = install();

module.exports = {
  post: (task) => scheduler.postTask(task),
  prioritized: (task, level) => scheduler.postTask(task, { priority: PRIORITIES[level] }),
  yield: () => scheduler.yield(),
  inside: (callback) => scheduler.postTask(callback),
  controller() {
    const controller = new TaskController();
    setMaxListeners(0, controller.signal);
    return controller;
  },
  signalled: (task, signal) => scheduler.postTask(task, { signal }),
  setPriority: (controller, level) => controller.setPriority(PRIORITIES[level]),
  delayed: (task, delay) => scheduler.postTask(task, { delay }),
  // Adding a listener to a signal takes longer the more listeners it has.
  limits: { post: 1e5, prioritized: 1e5, signalled: 1e4, setPriority: 1e4 },
  open() {
    for (const port of ports) port.ref();
  },
  close() {
    for (const port of ports) port.unref();
  },
};

// The polyfill makes its channel for the first task.
scheduler.postTask(() => {});
module.exports.close();
