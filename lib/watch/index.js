'use strict';

// The functions that the package loads when tasks are first watched. Bundled to dist/watch.js: as a
// part of dist/index.js, they would add a millisecond to each start of a program.

// Functions, as each program needs only some.
module.exports = {
  // For integrations.
  parts: () => require('./parts.js'),
  monitorTasks: (options) => require('./task-monitor.js').monitorTasks(options),
  reportSlowTasks: (report, options) =>
    require('./slow/index.js').reportSlowTasks(report, options),
  traceFromOutside: (name) => require('./trace.js').traceFromOutside(name),
  traceTasks: (file, options) => require('./trace.js').traceTasks(file, options),
  watchForSubscribers: () => require('./watch.js').watchForSubscribers(),
};
