'use strict';

// Stands for the global object of a page in tests: a clock that moves only when the test says so,
// and a scheduler that notes what is posted. Its tasks are run by the scheduler of Node, whose
// order is that of the web, but for their delays.

const { scheduler } = require('../..');

class Scheduler {
  // The posted entries, as texts: the operation with its options.
  posted = [];

  postTask(callback, { priority, signal, delay } = {}) {
    const own = priority ?? signal?.priority ?? 'user-visible';
    this.posted.push(`postTask ${own}${delay === undefined ? '' : ` ${delay}`}`);
    return scheduler.postTask(callback, { priority: own, signal });
  }

  // Has no options, as in browsers.
  yield() {
    this.posted.push('yield');
    return scheduler.yield();
  }
}

class TaskController extends AbortController {}
class TaskSignal {}
class TaskPriorityChangeEvent {}
class IdleDeadline {}

// `changes` are properties that replace others or, if undefined, remove them.
function fakePage(changes = {}) {
  const page = {
    time: 0,
    idleCallbacks: new Map(),
    scheduler: new Scheduler(),
    Scheduler,
    TaskController,
    TaskSignal,
    TaskPriorityChangeEvent,
    IdleDeadline,
    queueMicrotask,
    performance: { now: () => page.time },
    navigator: { scheduling: { isInputPending: () => false } },
    requestIdleCallback(callback) {
      if (this !== undefined && this !== page) throw new TypeError('Illegal invocation');
      page.idleCallbacks.set(page.idleCallbacks.size + 1, callback);
      return page.idleCallbacks.size;
    },
    cancelIdleCallback(handle) {
      if (this !== undefined && this !== page) throw new TypeError('Illegal invocation');
      page.idleCallbacks.delete(handle);
    },
    ...changes,
  };
  return page;
}

module.exports = { fakePage };
