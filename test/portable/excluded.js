'use strict';

// The tests that do not run on the portable host, by their full titles, with the reason: a
// guarantee that the host does not give (`guarantees` of the package), or a sentence. `on` names
// the runtimes that an entry is for, all three without it.

const HOSTS = ['node', 'bun', 'deno'];

const GUARANTEES = {
  // Immediates, due timers and ready I/O are invisible, so background work runs between immediates
  // that follow each other at once, and does not yield to them.
  background: {
    configure: [
      'bounds the wait of background tasks where something else is always runnable',
      'bounds the wait of the continuations of background tasks',
      'bounds the wait of background tasks of a signal, from when they were queued',
      'starts one overdue background task at most in a check phase',
      'never raises tasks by default, nor once the bound is taken back',
      'leaves the bound of a priority alone that is not given',
    ],
    'maxWait of a task': [
      'bounds the wait of a task without a signal where something is always runnable',
      'bounds the wait of a task with a signal that can abort it where something is always ' +
        'runnable',
      'bounds the wait of a task that follows a signal where something is always runnable',
      'counts from when the task is queued, behind its delay',
      'bounds no task but its own',
      'is that of each continuation by yield() of a task',
      'is that of each continuation by yield() of a task with a signal',
      'is that of each continuation by yield() of a task with a key',
      'is that of each continuation by yield() with a priority of a task',
      'is that of each continuation by yield() with a priority of a task with a signal',
      'is that of each continuation by yield() with a priority of a task with a key',
      "is that of each continuation by yield({ signal: 'inherit' }) of a task",
      "is that of each continuation by yield({ signal: 'inherit' }) of a task with a signal",
      "is that of each continuation by yield({ signal: 'inherit' }) of a task with a key",
      'is that of each continuation by wait() of a task',
      'is that of each continuation by wait() of a task with a signal',
      'is that of each continuation by wait() of a task with a key',
      'is that of each continuation by yield() after an await of a task',
      'is that of each continuation by yield() after an await of a task with a signal',
      'is that of each continuation by yield() after an await of a task with a key',
      'is that of the continuations of pieces()',
      'gives an overdue task a turn of a millisecond before it is told to yield',
      'is not that of tasks that the task posts, nor of its timers',
      'of 10000 ms counts in place of a shorter setting',
      'of Infinity ms counts in place of a shorter setting',
      'lets one overdue background task at most start in a check phase',
    ],
    'shouldYield()': [
      'counts a due timer for background code alone',
      'counts an immediate for background code alone',
      'follows the priority of the signal that the task has',
      "gives a task no answer that was another task's",
      'gives a promise reaction no answer that was given in another task',
      'knows at once that its own priority has changed, also in a fast loop',
    ],
  },
  // I/O that becomes ready is invisible until the next turn.
  userVisibleContinuations: {
    'maxWait of a task': [
      'bounds the wait of a user-visible task beside a chain of continuations',
    ],
    'shouldYield()': [
      'counts ready I/O for all but user-blocking code',
      'is asked again in a fast loop at the fourth call at the latest',
    ],
    'the quantum': ['does not end with ready I/O before the equals that run first in any case'],
  },
  idleCallbacks: {
    requestIdleCallback: [
      'calls callbacks after due timers and immediates',
      'with a timeout calls the callback if the loop is never idle, with didTimeout set',
      'timeRemaining() is above 0 while nothing else is runnable, and 0 once I/O is ready',
      'timeRemaining() is at most the time until the next timer',
    ],
  },
  nestedLoops: {
    'drain()': ['can be called in a nested run of the loop'],
  },
};

// Differences of the runtimes themselves.
const REASONS = [
  {
    reason: 'The processor time of a thread is visible to the addon only.',
    titles: {
      'tasks with a fairness key': [
        'are not charged for the time in which the process was stopped',
      ],
    },
  },
  {
    reason: 'It loads files of lib/, which open the addon.',
    titles: {
      'random programs of shared tasks': [
        'settle each join once, with the highest priority at every moment',
      ],
      'a run that no join waits for': [
        'has its signal aborted with an AbortError, and counts as aborted',
        'has a TaskSignal with its priority, which fires the changes',
        'has an error of an overridden dispatchEvent reported, and changes',
        'has no signal without `abortWhenUnused`',
      ],
    },
  },
  {
    reason: 'Deno finds no package by its name from a folder elsewhere.',
    on: ['deno'],
    titles: {
      'what drain() rejects': [
        'does not end a process that has a background task without an await',
      ],
    },
  },
  {
    reason: 'It uses options of Node, or imports the package from elsewhere by its name.',
    on: ['deno'],
    titles: {
      'onIdle()': ['is fulfilled before the process ends, whatever the last task waited for'],
    },
  },
  {
    reason: 'The callbacks of files that are ready at once run in the microtasks of the caller.',
    on: ['deno'],
    titles: {
      'the scheduling state': [
        'is the default in a callback of a file operation that the task started',
        'is the default in a callback of a file read in several steps that the task started',
        'is the default in a callback of data of a stream that the task started',
      ],
    },
  },
  {
    reason: 'The processor and its neighbours are visible to the addon only.',
    titles: {
      "with idle: 'machine', while threads use all processors,": [
        'a run is not held that an urgent task waits for',
      ],
    },
  },
  {
    reason: 'Another listener can stop every listener of an event.',
    on: ['deno'],
    titles: {
      'the signal of a join()': ['ends the wait while other listeners stop the event'],
    },
  },
  {
    reason: 'Bun has no hooks of async_hooks, and on Deno a task is no AsyncResource.',
    on: ['bun', 'deno'],
    titles: {
      async_hooks: [
        'see each task as an AsyncResource, from postTask() to the callback',
        'do not change the state that a continuation inherits',
        'see by hasRef() whether a task or an idle callback keeps the process alive',
      ],
    },
  },
  {
    reason: 'AsyncResource keeps the value that AsyncLocalStorage.exit() should hide.',
    on: ['deno'],
    titles: { AsyncLocalStorage: ['has no value in a task that was posted without one'] },
  },
  {
    reason: 'util.inspect() prints other text.',
    on: ['bun', 'deno'],
    titles: {
      'what drain() rejects': [
        'counts as handled, whether it waits, is posted meanwhile, or runs',
      ],
    },
  },
  {
    reason: 'An uncaught error is printed in another form.',
    on: ['bun'],
    titles: {
      requestIdleCallback: ['reports an error of the callback as an uncaught exception'],
      createScheduler: [
        'leads from an error of an asynchronous task to the code that awaits the task',
      ],
    },
  },
  {
    reason: 'The runtime itself fails if Object.prototype has such members.',
    on: ['bun'],
    titles: {
      'a member of Object.prototype': [
        'with the name of a property attribute does not prevent loading the package',
      ],
    },
  },
  {
    reason: 'The runtime has no `on` of the ports of a MessageChannel.',
    on: ['bun'],
    titles: {
      'the quantum': [
        'begins anew with the next listener of the same poll phase',
        'begins anew with the next promise reaction of the same poll phase',
      ],
    },
  },
  {
    reason: 'Messages are delivered one after the other without a turn of the loop.',
    on: ['deno'],
    titles: {
      'the quantum': [
        'begins anew with the next listener of the same poll phase',
        'begins anew with the next promise reaction of the same poll phase',
      ],
    },
  },
  {
    reason: 'Without async ids a callback looks like the task that has started it.',
    on: ['bun'],
    titles: {
      'shouldYield()': ['gives a callback no answer that was given to the task which started it'],
    },
  },
  {
    reason: 'Without async ids the state ends with the task.',
    on: ['bun', 'deno'],
    titles: {
      'the scheduling state': [
        'follows the task through ticks and microtasks in turn',
        'follows the task through a tick behind an await of I/O',
      ],
    },
  },
  {
    reason: 'The callback runs in the microtasks of the task.',
    on: ['deno'],
    titles: {
      'the scheduling state': [
        'is the default in a callback of a message port that the task started',
      ],
    },
  },
  {
    reason: 'Without async ids a callback that an unsettled task has started has its state.',
    on: ['bun', 'deno'],
    titles: {
      'the scheduling state': [
        'is the default in the rest of such a callback after a yield there',
        'includes the abort source, and drops it likewise',
      ],
      'onIdle() in a task': ['takes a timer that this task has started for code of its own'],
    },
  },
];

const fullTitles = (titles) => Object.entries(titles)
  .flatMap(([suite, names]) => names.map((name) => `${suite} ${name}`));

// All entries: { guarantee, reason, on, titles }, with full titles.
function entries() {
  const ofGuarantees = Object.entries(GUARANTEES).map(([guarantee, titles]) => {
    return { guarantee, on: HOSTS, titles: fullTitles(titles) };
  });
  const others = REASONS.map(({ reason, on = HOSTS, titles }) => {
    return { reason, on, titles: fullTitles(titles) };
  });
  return [...ofGuarantees, ...others];
}

function excludedOn(host) {
  return entries().filter(({ on }) => on.includes(host)).flatMap(({ titles }) => titles);
}

module.exports = { entries, excludedOn };
