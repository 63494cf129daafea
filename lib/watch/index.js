'use strict';

// The functions that the package loads when tasks are first watched. Bundled to dist/watch.js: as a
// part of dist/index.js, they would add a millisecond to each start of a program.

// Functions, as each program needs only some.
module.exports = {
  // For integrations.
  get Distribution() {
    return require('./distribution.js').Distribution;
  },
  get ExportedLabels() {
    return require('./exported-labels.js').ExportedLabels;
  },
  get PRIORITIES() {
    return require('./priorities.js').PRIORITIES;
  },
  get Profiler() {
    return require('./slow/profiler.js').Profiler;
  },
  get TimeDistribution() {
    return require('./time-distribution.js').TimeDistribution;
  },
  get intervalFor() {
    return require('./slow/profiler.js').intervalFor;
  },
  get neverFalling() {
    return require('./never-falling.js').neverFalling;
  },
  get ownName() {
    return require('./file-name.js').ownName;
  },
  get resolveName() {
    return require('./file-name.js').resolveName;
  },
  get shared() {
    return require('./channels.js').shared;
  },
  get toMostLabels() {
    return require('./exported-labels.js').toMostLabels;
  },
  monitorTasks: (options) => require('./task-monitor.js').monitorTasks(options),
  reportSlowCallbacks: (report, duration, stuckAfter) =>
    require('./slow/index.js').reportSlowCallbacks(report, duration, stuckAfter),
  reportSlowTasks: (report, options) =>
    require('./slow/index.js').reportSlowTasks(report, options),
  theWatch: () => require('./watch.js').theWatch(),
  traceFromOutside: (name) => require('./trace.js').traceFromOutside(name),
  traceTasks: (file, options) => require('./trace.js').traceTasks(file, options),
  watchForSubscribers: () => require('./watch.js').watchForSubscribers(),
};
