'use strict';

// The interface of a context for watchers: one context can watch the tasks of all contexts of its
// thread. Each context has its own event loop of tasks, and its own ids.

const eventLoop = require('../loop/event-loop.js');
const { observers } = require('../loop/observers.js');
const { ASK } = require('../loop/protocol.js');
const { unclaimedTime } = require('../tasks/ledger.js');
const running = require('../tasks/running-tasks.js');
const { currentPriorityOf, isFixed } = require('../tasks/scheduling-state.js');
const { addContext, areSubscribed, shared } = require('./channels.js');
const { watchUntil } = require('./watching.js');

const context = {
  observers,
  // Loaded when a monitor first reads its keys.
  get flows() {
    return require('../tasks/flow.js');
  },
  askForEndOfCheck: eventLoop.askForEndOfCheck,
  countQueued: () => eventLoop.ask(ASK.QUEUED),
  currentPriorityOf,
  currentTask: running.currentTask,
  innermostTask: running.innermost,
  isFixed,
  rankOfStarted: () => eventLoop.ask(ASK.RANK_OF_STARTED),
  readClock: eventLoop.readClock,
  readHeld: () => eventLoop.ask(ASK.HELD),
  shareIdleTime: eventLoop.shareIdleTime,
  unclaimedTime,
  visitRunning: running.visit,
  visitWaiting: eventLoop.visitWaiting,
  watchUntil,
  get words() {
    return eventLoop.words;
  },
};

observers.areSubscribed = areSubscribed;
// All code of the context reaches the observers, and so keeps its interface in memory.
observers.context = context;
addContext(context);
shared.watch?.join(context);
