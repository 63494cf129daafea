'use strict';

// scheduler-polyfill as a contender. It installs itself on `self` where that has no scheduler, so
// it is run with a `self` of its own, as a function with that parameter: its code is unchanged,
// and no global object gets its classes. Owns the MessageChannel that it posts its tasks through,
// so that it holds the process only while it is measured.

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
  // Adding a listener to a signal takes the longer, the more it has.
  limits: { post: 1e5, prioritized: 1e5, signalled: 1e4, setPriority: 1e4 },
  open() {
    for (const port of ports) port.ref();
  },
  close() {
    for (const port of ports) port.unref();
  },
};

// It makes its channel with the first task.
scheduler.postTask(() => {});
module.exports.close();
