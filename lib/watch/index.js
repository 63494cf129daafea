'use strict';

// What the package loads when tasks are watched for the first time. dist/watch.js is made of this:
// in dist/index.js it would make each start of a program a millisecond longer.

// Functions, as each program needs only some.
module.exports = {
  monitorTasks: (options) => require('./task-monitor.js').monitorTasks(options),
  reportSlowTasks: (report, options) =>
    require('./slow/index.js').reportSlowTasks(report, options),
  theWatch: () => require('./watch.js').theWatch(),
  traceFromOutside: (name) => require('./trace.js').traceFromOutside(name),
  traceTasks: (file, options) => require('./trace.js').traceTasks(file, options),
  watchForSubscribers: () => require('./watch.js').watchForSubscribers(),
};
