'use strict';

// The parts of watch/ that integrations use: see lib/internal.js.

const { contexts } = require('./channels.js');
const { Distribution } = require('./distribution.js');
const { ExportedLabels, toMostLabels } = require('./exported-labels.js');
const { ownName, resolveName } = require('./file-name.js');
const { Heartbeat, countQuiet } = require('./heartbeat.js');
const { neverFalling } = require('./never-falling.js');
const { PRIORITIES } = require('./priorities.js');
const { reportSlowCallbacks, reportSlowTasks } = require('./slow/index.js');
const { TimeDistribution } = require('./time-distribution.js');
const { theWatch } = require('./watch.js');
const { isOwnThread, mayStart, startThread } = require('./watching-thread.js');

module.exports = {
  Distribution,
  ExportedLabels,
  Heartbeat,
  PRIORITIES,
  TimeDistribution,
  contexts,
  countQuiet,
  isOwnThread,
  mayStart,
  neverFalling,
  ownName,
  reportSlowCallbacks,
  reportSlowTasks,
  resolveName,
  startThread,
  theWatch,
  toMostLabels,
  // The rest is loaded when it is first read.
  get monitorTasks() {
    return require('./task-monitor.js').monitorTasks;
  },
  get startSampler() {
    return require('./sampler.js').startSampler;
  },
  get traceTasks() {
    return require('./trace.js').traceTasks;
  },
};
