'use strict';

// Logs the order of tasks on the globals of register, which the process has preloaded.

const { busy, log } = require('../../../fixtures/order.js');
const { runTasks } = require('./tasks.cjs');

setImmediate(() => {
  setTimeout(() => log('timer'), 0);
  busy(5);
  runTasks(log);
});
