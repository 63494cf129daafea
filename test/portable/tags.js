'use strict';

// The tags in the titles of tests that the portable host leaves out, as in "… @background": each
// names a guarantee that the host does not give (`guarantees` of the package), or something else
// that it lacks. A title may have several. `on` names the runtimes that lack it, all three without
// it.

const HOSTS = ['node', 'bun', 'deno'];

const TAGS = {
  // Immediates, due timers and ready I/O are invisible, so background work runs between immediates
  // that follow each other at once, and does not yield to them.
  'background': { isGuarantee: true },
  // I/O that becomes ready is invisible until the next turn.
  'userVisibleContinuations': { isGuarantee: true },
  'idleCallbacks': { isGuarantee: true },
  'idleMeansIdle': { isGuarantee: true },
  'nestedLoops': { isGuarantee: true },

  'thread-time': { lacks: 'The processor time of a thread is visible to the addon only.' },
  'binding': { lacks: 'It loads files of lib/, which open the addon.' },

  'loop-figures': {
    on: ['bun', 'deno'],
    lacks: 'libuv’s figures tell how often a loop wakes.',
  },
  'before-exit': {
    on: ['bun'],
    lacks: 'An immediate queued in beforeExit makes it fire again, also if unreferenced.',
  },
  'rejections': {
    on: ['bun', 'deno'],
    lacks: 'Unhandled rejections are reported at another time.',
  },
  'order-at-end': {
    on: ['deno'],
    lacks: 'The loop turns in another order, and once more before its end.',
  },
  'ends-of-workers': {
    on: ['deno'],
    lacks: 'Workers have no beforeExit, and end the process with their uncaught errors.',
  },
  'holds-in-workers': {
    on: ['bun', 'deno'],
    lacks: 'Background work is held back by an immediate, or by quotas, which it cannot see.',
  },
  'file-of-addon': { on: ['deno'], lacks: 'It looks at the addon’s file.' },
  'package-by-name': {
    on: ['deno'],
    lacks: 'No package is found by its name elsewhere, and Node’s options are unknown.',
  },
  'turns-of-files': {
    on: ['deno'],
    lacks: 'The callbacks of files that are ready at once run in the microtasks of the caller.',
  },
  'turns-of-messages': {
    on: ['deno'],
    lacks: 'A message is delivered in the microtasks of the task.',
  },
  'messages-apart': {
    on: ['bun', 'deno'],
    lacks: 'The ports of a MessageChannel have no `on`, or deliver without a turn of the loop.',
  },
  'own-listeners': { on: ['deno'], lacks: 'Another listener can stop every listener of an event.' },
  'errors-of-listeners': {
    on: ['bun', 'deno'],
    lacks: 'The runtime reports the error of a listener while the event is dispatched.',
  },
  'errors-as-text': { on: ['bun'], lacks: 'An uncaught error is printed in another form.' },
  'async-hooks': {
    on: ['bun', 'deno'],
    lacks: 'There are no hooks of async_hooks, or a task is no AsyncResource.',
  },
  'async-exit': {
    on: ['deno'],
    lacks: 'AsyncResource keeps the value that AsyncLocalStorage.exit() should hide.',
  },
  'async-ids': {
    on: ['bun', 'deno'],
    lacks: 'Without async ids the state ends with the task, or comes to the callbacks it started.',
  },
  'async-ids-of-turns': {
    on: ['bun'],
    lacks: 'Without async ids a callback looks like the task that has started it.',
  },
  'inspect': { on: ['bun', 'deno'], lacks: 'util.inspect() prints other text.' },
  'inspect-of-signals': { on: ['deno'], lacks: 'util.inspect() prints other text of signals.' },
  'prototypes': {
    on: ['bun'],
    lacks: 'The runtime itself fails if Object.prototype has such members.',
  },
};

// Files that do not run on a host at all: they cannot be loaded there.
const FILES = [
  {
    file: 'test/tasks/shared-task-programs.test.js',
    on: ['bun', 'deno'],
    lacks: 'It loads files of lib/, which open the addon.',
  },
  {
    file: 'test/portable/tags.test.js',
    on: ['bun', 'deno'],
    lacks: 'It runs mocha without running tests, which takes one runtime.',
  },
];

const tagsLackingOn = (host) => Object.keys(TAGS).filter((tag) => {
  return (TAGS[tag].on ?? HOSTS).includes(host);
});

// A pattern for mocha that selects, by their full titles, the tests that a host runs.
function selection(host, grep = '') {
  const tags = tagsLackingOn(host).join('|');
  return `/^(?!.*@(?:${tags})(?![-\\w]))(?=.*(?:${grep}))/`;
}

const isExcludedFile = (name, host) => FILES.some(({ file, on }) => {
  return file === name && on.includes(host);
});

module.exports = { FILES, TAGS, isExcludedFile, selection };
