'use strict';

// The entry point of the package. `npm run build` makes one file of lib/, as Node loads one file in
// a third of the time that it takes for many.

module.exports = require('./dist/index.js');

// Never runs. Node reads the names of the exports here for the `import` of ES modules.
/* eslint-disable no-constant-binary-expression, no-undef */
0 && (module.exports = {
  scheduler,
  createScheduler,
  configure,
  Scheduler,
  TaskController,
  TaskSignal,
  TaskPriorityChangeEvent,
  requestIdleCallback,
  cancelIdleCallback,
});
